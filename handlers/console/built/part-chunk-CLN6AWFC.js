import{w as e}from"./part-chunk-4IMZOXW3.js";var s=r=>e.get("/admin/workers",{},r).then(t=>t.workers);export{s as a};
