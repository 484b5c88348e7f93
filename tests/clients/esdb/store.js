// The official Node client of EventStoreDB against this program's event store: appends, reads, subscriptions, persistent subscriptions, links
// and tombstones. The address is the first argument. Every step has to come to its end within a minute.
const assert = require("node:assert/strict");
const {
  EventStoreDBClient, jsonEvent, streamNameFilter, ANY, NO_STREAM, START, END, PARK, BACKWARDS, FORWARDS,
  persistentSubscriptionToStreamSettingsFromDefaults, persistentSubscriptionToAllSettingsFromDefaults,
} = require("@eventstore/db-client");

const client = EventStoreDBClient.connectionString(`esdb://${process.argv[2]}?tls=false`);
const numbered = (n) => Array.from({ length: n }, (_, i) => jsonEvent({ type: "Tested", data: { n: i } }));

async function list(events) {
  const got = [];
  for await (const { event } of events) got.push(event.data.n);
  return got;
}

// take gives each event of a subscription to a function until it answers true.
async function take(subscription, until) {
  for await (const resolved of subscription) {
    if (await until(resolved)) break;
  }
  await subscription.unsubscribe();
}

async function appendsAndReads() {
  const first = await client.appendToStream("node-1", numbered(3), { expectedRevision: NO_STREAM });
  assert.equal(first.nextExpectedRevision, 2n);
  await assert.rejects(client.appendToStream("node-1", numbered(1), { expectedRevision: NO_STREAM }), { type: "wrong-expected-version" });
  assert.deepEqual(await list(client.readStream("node-1", { direction: FORWARDS, fromRevision: START })), [0, 1, 2]);
  assert.deepEqual(await list(client.readStream("node-1", { direction: BACKWARDS, fromRevision: END, maxCount: 2 })), [2, 1]);
  await assert.rejects(list(client.readStream("nowhere", { maxCount: 1 })), { type: "stream-not-found" });
  await client.appendToStream("node-links", [{ ...jsonEvent({ type: "$>", data: {} }), contentType: "application/octet-stream", data: Buffer.from("1@node-1") }]);
  assert.deepEqual(await list(client.readStream("node-links", { resolveLinkTos: true })), [1]);
}

async function subscriptions() {
  let seen = 0;
  await take(client.subscribeToStream("node-1", { fromRevision: START }), ({ event }) => {
    assert.equal(event.data.n, seen++);
    return seen === 3;
  });
  const found = [];
  await take(client.subscribeToAll({ fromPosition: START, filter: streamNameFilter({ prefixes: ["node-1"] }) }), ({ event }) => {
    found.push(event.data.n);
    return found.length === 3;
  });
  assert.deepEqual(found, [0, 1, 2]);
}

async function persistentSubscriptions() {
  await client.createPersistentSubscriptionToStream("node-1", "group", persistentSubscriptionToStreamSettingsFromDefaults({ startFrom: START }));
  await assert.rejects(
    client.createPersistentSubscriptionToStream("node-1", "group", persistentSubscriptionToStreamSettingsFromDefaults()),
    { type: "persistent-subscription-exists" },
  );
  const retried = [];
  const consumer = client.subscribeToPersistentSubscriptionToStream("node-1", "group", { bufferSize: 5 });
  let replayed = false;
  await take(consumer, async (resolved) => {
    const n = resolved.event.data.n;
    if (n === 1 && !resolved.link) {
      await consumer.nack(PARK, "not now", resolved);
    } else {
      await consumer.ack(resolved);
      retried.push(n);
    }
    if (retried.length === 2 && !replayed) {
      replayed = true;
      for (let info; info?.stats.parkedMessageCount !== 1n && Number(info?.stats.parkedMessageCount) !== 1; ) {
        info = await client.getPersistentSubscriptionToStreamInfo("node-1", "group");
      }
      await client.replayParkedMessagesToStream("node-1", "group");
    }
    return retried.length === 3;
  });
  assert.deepEqual(retried, [0, 2, 1]);

  await client.createPersistentSubscriptionToAll("all", persistentSubscriptionToAllSettingsFromDefaults({ startFrom: START }), {
    filter: streamNameFilter({ prefixes: ["node-1"] }),
  });
  const all = client.subscribeToPersistentSubscriptionToAll("all");
  let count = 0;
  await take(all, async (resolved) => {
    await all.ack(resolved);
    return ++count === 3;
  });
  assert.equal((await client.listAllPersistentSubscriptions()).length, 2);
  await client.deletePersistentSubscriptionToStream("node-1", "group");
  await client.deletePersistentSubscriptionToAll("all");
  await assert.rejects(client.listPersistentSubscriptionsToStream("node-1"), { type: "persistent-subscription-does-not-exist" });
}

async function deletions() {
  await client.deleteStream("node-links");
  await client.tombstoneStream("node-1", { expectedRevision: ANY });
  await assert.rejects(client.appendToStream("node-1", numbered(1)), { type: "stream-deleted" });
}

(async () => {
  for (const step of [appendsAndReads, subscriptions, persistentSubscriptions, deletions]) {
    const late = setTimeout(() => {
      console.error(`the official Node client: ${step.name} hangs`);
      process.exit(1);
    }, 60_000);
    await step();
    clearTimeout(late);
    console.log(`the official Node client: ${step.name} passed`);
  }
  await client.dispose();
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
