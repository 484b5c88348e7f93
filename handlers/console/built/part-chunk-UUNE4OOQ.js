import{x as e}from"./part-chunk-WHZ35HZW.js";var s=r=>e.get("/admin/workers",{},r).then(t=>t.workers);export{s as a};
