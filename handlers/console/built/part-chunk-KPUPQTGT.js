import{w as e}from"./part-chunk-MXBARQ5S.js";var s=r=>e.get("/admin/workers",{},r).then(t=>t.workers);export{s as a};
