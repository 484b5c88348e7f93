import { moviola, type Schemas } from "./index.js";

const api = moviola(process.env.MOVIOLA_URL!, process.env.MOVIOLA_API_KEY!);
const body: Schemas["Movie"] = { resolution: "sd", scenes: [{ duration: 1, "background-color": "#0B132B" }] };
const { data: sent, error } = await api.POST("/v2/movies", { body });
if (!sent) throw new Error(error.message);
for (let status = "pending"; status === "pending" || status === "running"; await new Promise((done) => setTimeout(done, 500))) {
  const { data } = await api.GET("/v2/movies", { params: { query: { project: sent.project } } });
  if (data && "movie" in data) console.log((status = data.movie.status), data.movie.url ?? data.movie.message);
}
