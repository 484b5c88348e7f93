import{x as e}from"./part-chunk-KJC54MDX.js";var s=r=>e.get("/admin/workers",{},r).then(t=>t.workers);export{s as a};
