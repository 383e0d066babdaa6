import { repositoryRules } from '../repository-design.ts';

/**
 * Style rules of preview pages, used in addition to those of other pages. Their colors are CSS variables too, for light
 * and dark.
 */
export const previewRules = `
:root{--shape-1:#0b7285;--shape-2:#c2410c;--shape-3:#6d4bc3;--shape-4:#3f7d20;--shape-5:#b4236a;--shape-6:#8a6d00}
@media(prefers-color-scheme:dark){:root{--shape-1:#5cc8da;--shape-2:#f59863;--shape-3:#b39bf5;--shape-4:#93cf6c;--shape-5:#f08ab8;--shape-6:#e0c252}}
body.bare{min-height:0}body.bare main{padding:1rem;max-width:none}
figure{margin:0 0 .75rem}
:root{--sea:#eef3f6;--land:#dfe3df;--scale-1:#440154;--scale-2:#414487;--scale-3:#2a788e;--scale-4:#22a884;--scale-5:#7ad151;--scale-6:#e0c800}
@media(prefers-color-scheme:dark){:root{--sea:#10191f;--land:#232e35;--scale-1:#8a5cc9;--scale-2:#6f78d8;--scale-3:#3fa0b8;--scale-4:#22a884;--scale-5:#7ad151;--scale-6:#fde725}}
.map .frame,.map.frame{position:relative;height:clamp(16rem,56vw,min(30rem,70vh));border:1px solid var(--line);border-radius:var(--radius);overflow:hidden;background:var(--raised)}
.map .surface{width:100%;height:100%;cursor:grab;touch-action:none}.map .surface:active{cursor:grabbing}.map .surface:focus-visible{outline-offset:-3px}
.map canvas{display:block;width:100%;height:100%}
.map button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--edge);cursor:pointer}
.zoom{position:absolute;top:.6rem;left:.6rem;display:flex;flex-direction:column;gap:.3rem}.zoom button{width:2.25rem;height:2.25rem;padding:0;border-radius:.45rem;font-size:1.2rem;line-height:1}
.zoom button:hover{border-color:var(--link);color:var(--link)}
.map .hint{position:absolute;left:50%;bottom:1.6rem;transform:translateX(-50%);width:max-content;max-width:90%;margin:0;padding:.3rem .8rem;border-radius:2rem;background:var(--ink);color:var(--paper);font-size:.88rem;pointer-events:none}
.map .feature{position:absolute;top:.6rem;right:.6rem;width:min(17rem,calc(100% - 4.2rem));max-height:calc(100% - 1.2rem);overflow:hidden;display:flex;flex-direction:column;padding:.6rem .8rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--paper);box-shadow:0 .3rem 1rem rgb(5 12 16/.18);font-size:.88rem;pointer-events:none}
.map .picked{pointer-events:auto}.map .feature p{margin:.3rem 0 0}.map .feature>button{position:absolute;top:.35rem;right:.35rem;width:2rem;height:2rem;padding:0;border:0;border-radius:.45rem;font-size:1.2rem;line-height:1}
.map .values{overflow:auto;overflow-wrap:anywhere}.map .feature dl{margin:0}.map .picked .values{margin-right:1.6rem}.map .feature dl div{padding:.15rem 0}.map .feature dt{color:var(--soft);font-size:.92em}.map .feature dd{margin:0}
.position{display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;justify-content:space-between;margin:.4rem 0 0;font-size:.88rem;color:var(--soft);font-variant-numeric:tabular-nums}
.position .bar{display:inline-block;height:.4rem;border:1.5px solid var(--soft);border-top:0;vertical-align:baseline}
.choices{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:center;margin:.5rem 0 0;font-size:.92rem}.choices:empty{display:none}.choices .ramp{flex:1 1 14rem;margin:0}
.choices select{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:.45rem;padding:.2rem .4rem;max-width:14rem}
.map figcaption>p{margin:.4rem 0 0;font-size:.92rem}.map figcaption>p:empty{display:none}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:.5rem 0 0;padding:0;font-size:.88rem}
.swatch{display:inline-block;width:.8em;height:.8em;border-radius:.2em;margin-right:.4em;opacity:.75;forced-color-adjust:none}
.swatch.none{background:var(--soft)}.scale-1{background:var(--scale-1)}.scale-2{background:var(--scale-2)}.scale-3{background:var(--scale-3)}.scale-4{background:var(--scale-4)}.scale-5{background:var(--scale-5)}.scale-6{background:var(--scale-6)}
.shape-1{background:var(--shape-1)}.shape-2{background:var(--shape-2)}.shape-3{background:var(--shape-3)}.shape-4{background:var(--shape-4)}.shape-5{background:var(--shape-5)}.shape-6{background:var(--shape-6)}
.picture canvas{display:block;max-width:100%;max-height:30rem;border:1px solid var(--line);border-radius:var(--radius);background:repeating-conic-gradient(var(--raised) 0 25%,transparent 0 50%) 0 0/1.25rem 1.25rem}
.slice .picture{position:relative;margin:.6rem 0 0;cursor:crosshair}.slice .picture canvas{width:100%;max-height:none;image-rendering:pixelated}.slice .choices{margin:0}.slice .ramp{margin:.5rem 0}.slice .linked{margin:0 0 .75rem}.linked ul{list-style:none;margin:.2rem 0;padding:0}.linked ul ul{margin-left:.55rem;padding-left:1rem;border-left:1px solid var(--line)}
.linked li{margin:.1rem 0;padding:.15rem 0;overflow-wrap:anywhere}.linked li>a,.linked li>span{margin-left:1.4rem}.linked li>button~a{margin-left:.8rem;font-size:.88rem}.linked p{margin:.2rem 0 .2rem 1.4rem;font-size:.92rem}
.linked button{font:inherit;text-align:left;color:var(--ink);background:none;border:0;padding:0;cursor:pointer}.linked button::before{content:"";display:inline-block;width:.4em;height:.4em;margin:0 .75rem .12em .2rem;border:solid var(--soft);border-width:0 2px 2px 0;transform:rotate(-45deg)}.linked button[aria-expanded=true]::before{transform:rotate(45deg)}.linked button:hover{color:var(--link)}
.notes{margin:.5rem 0 0}
.slice .cell{position:absolute;width:1rem;height:1rem;margin:-.5rem 0 0 -.5rem;border:2px solid #fff;outline:2px solid #000;border-radius:50%;pointer-events:none}
.sliders label{display:grid;grid-template-columns:8rem minmax(6rem,24rem) 1fr;gap:.1rem .9rem;align-items:center;margin:.3rem 0;font-size:.92rem;overflow-wrap:anywhere}.sliders input{width:100%;accent-color:var(--link);min-height:1.5rem}
@media(max-width:34rem){.sliders label{grid-template-columns:1fr}}
.picture.small canvas{width:min(100%,45rem);max-height:none;image-rendering:pixelated}
.ramp{display:flex;gap:.6rem;align-items:center;max-width:22rem;margin-top:.5rem;font-size:.88rem;color:var(--soft);font-variant-numeric:tabular-nums}
.ramp .colours{flex:1;height:.6rem;border-radius:.3rem;background:linear-gradient(90deg,rgb(68 1 84),rgb(65 68 135),rgb(42 120 142),rgb(34 168 132),rgb(122 209 81),rgb(253 231 37))}
.rows th small{display:block;font-weight:400;color:var(--soft);font-size:.9em}
.rows .nothing{color:var(--soft)}
.rows small.range{white-space:nowrap;font-size:.85em}
.rows tbody th{font-weight:400;color:var(--soft);width:1%}
button.sort{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer;text-align:inherit}
button.sort:hover{color:var(--link)}
[aria-sort=ascending] button.sort::after{content:" ↑"}[aria-sort=descending] button.sort::after{content:" ↓"}
.table-view .tools{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:0 0 .6rem;font-size:.92rem}
.table-view .scroll+.tools{margin:.6rem 0 1rem}
.table-view .tools p{margin:0}
.table-view .tools button{margin:0}.table-view .tools button:disabled{color:var(--soft);border-color:var(--line);cursor:default}
.table-view form{display:flex;gap:.5rem;align-items:center}
.table-view label{display:flex;gap:.5rem;align-items:center}
.table-view input{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:.45rem;padding:.2rem .5rem;min-width:0}
.table-view input[type=number]{width:9rem}
.notes{margin:0 0 .75rem;font-size:.92rem}
button.quiet{font:inherit;font-weight:550;color:var(--link);background:none;border:1px solid var(--line);border-radius:.45rem;padding:.15rem .7rem;margin-left:.35rem;cursor:pointer}
button.quiet:hover{border-color:var(--link)}
.properties.wide{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,13rem),1fr));gap:.25rem 1.5rem}
`;

/** Style rules of pages whose content a script renders from data for which readers need credentials. */
export const dataPageRules = `${previewRules}${repositoryRules}
.access{display:flex;flex-wrap:wrap;gap:.2rem .75rem;align-items:baseline;justify-content:space-between;margin:0 0 1rem;padding:.4rem .9rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--raised);font-size:.92rem}
.access>span{display:flex;gap:.5rem}.access .icon{margin:.2em 0 0;stroke:var(--ink)}
h1:focus{outline:none}
`;
