/** Style rules of the console's file views in addition to its other rules. */
export const filesRules = `
label.button{cursor:pointer}
.choose .unseen{opacity:0;clip-path:none}
label:focus-within{outline:2px solid var(--link);outline-offset:2px}
.choose{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;padding:1rem 1.1rem;margin:0 0 1.5rem;border:1.5px dashed var(--line);border-radius:var(--radius);position:relative}
.choose .hint{margin:0}.choose.over{border-color:var(--link);background:var(--tint)}
.files button.plain{position:relative;padding:0 0 0 1.6rem;text-align:left;text-decoration:none;overflow-wrap:anywhere}.files button.plain .icon{position:absolute;left:0;top:.25em}.files button.plain:hover{text-decoration:underline}
.files td{overflow-wrap:anywhere}.files .pick{width:2.6rem;padding-right:0}.files input[type=checkbox]{width:1.1rem;height:1.1rem;vertical-align:middle;accent-color:var(--link)}
progress{display:block;width:100%;height:.55rem;border:0;border-radius:1rem;overflow:hidden;background:var(--line);color:var(--link);appearance:none}
progress::-webkit-progress-bar{background:var(--line)}progress::-webkit-progress-value{background:var(--link);border-radius:1rem}
progress::-moz-progress-bar{background:var(--link);border-radius:1rem}
.upload h2{font-size:1.15rem;margin-bottom:.75rem}
.upload .numbers{font-variant-numeric:tabular-nums;margin:.5rem 0 .75rem}
.upload[data-state=stopped] progress,.upload[data-state=paused] progress,.upload[data-state=offline] progress{opacity:.55}
.transfers,.troubled,.notes{list-style:none;padding:0;margin:0 0 .75rem;font-size:.92rem}
.transfers li{display:grid;grid-template-columns:minmax(0,1fr) 8rem 11rem;gap:.25rem .9rem;align-items:center;padding:.25rem 0;font-variant-numeric:tabular-nums}
.transfers .soft{text-align:right}
.troubled li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.15rem .9rem;align-items:center;padding:.55rem 0;border-top:1px solid var(--line)}
.troubled li>:nth-child(2){grid-column:1}.troubled .choices{grid-column:2;grid-row:1/span 2;display:flex;flex-wrap:wrap;gap:.4rem}
.path{overflow-wrap:anywhere;unicode-bidi:isolate}
.notes li{padding:.15rem 0}
.selection{position:sticky;top:0;z-index:1;background:var(--paper);padding:.6rem 0;border-bottom:1px solid var(--line)}
.said:empty,.fault:empty{display:none}
dialog>.actions,dialog form .actions{margin-bottom:1rem}dialog>.actions:last-child,dialog>form:last-child .actions:last-child{margin-bottom:0}
.facts.inline{display:grid;align-items:baseline;grid-template-columns:auto minmax(0,1fr);gap:.2rem 1.2rem;margin-bottom:1.1rem}.facts.inline dt{margin:0;overflow-wrap:anywhere}
.copy{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0 0 .75rem}.copy input{flex:1 1 12rem;min-width:0}
.copy input,label.inline select{color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:.45rem;padding:.4rem .7rem}
label.inline{display:inline-flex;gap:.6rem;align-items:center;flex-wrap:wrap}
@media(forced-colors:active){progress{border:1px solid CanvasText;height:.75rem}progress::-webkit-progress-value{background:Highlight;forced-color-adjust:none}progress::-moz-progress-bar{background:Highlight;forced-color-adjust:none}}
@media(max-width:34rem){.transfers li{grid-template-columns:minmax(0,1fr) auto}.transfers progress{grid-column:1/-1;grid-row:2}.troubled li{grid-template-columns:minmax(0,1fr)}.troubled .choices{grid-column:1;grid-row:auto}.choose .hint{display:none}}
`;
