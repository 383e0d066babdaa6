/** Style rules of the console in addition to the public pages. They use the tokens of `stylesheetOf`. */
export const consoleRules = `
button,input,select,textarea{font:inherit;color:inherit}
h1:focus,h2:focus{outline:none}h1 small{font-size:.5em;font-weight:500;color:var(--soft)}
.person{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem;align-items:center;margin:0 0 1.75rem;padding-bottom:.85rem;border-bottom:1px solid var(--line);font-size:.95rem}
.person a{color:inherit;text-decoration:none}.person a:hover,.person a[aria-current]{text-decoration:underline;text-underline-offset:.3em}.person a+a{flex:1 1 6rem;max-width:max-content;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-bottom:.3em;margin-bottom:-.3em}.person a+a:focus-visible{outline-offset:-2px}.person button{margin-left:auto}
.tabs{display:flex;gap:1.6rem;overflow-x:auto;scrollbar-width:thin;border-bottom:1px solid var(--line);margin:1rem 0 1.75rem;--under:color-mix(in oklab,var(--ink) 30%,transparent);background:linear-gradient(to left,transparent,var(--paper) 70%) 0 0/2.5rem 100% no-repeat local,linear-gradient(to right,transparent,var(--paper) 70%) 100% 0/2.5rem 100% no-repeat local,linear-gradient(to right,var(--under),transparent) 0 0/1rem 100% no-repeat,linear-gradient(to left,var(--under),transparent) 100% 0/1rem 100% no-repeat}
.tabs a{flex:none;padding:.5rem 0;color:var(--soft);text-decoration:none;border-bottom:2px solid transparent}.tabs a:focus-visible{outline-offset:-2px}
.tabs a:hover{color:var(--ink)}.tabs a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--link)}
h2.view{font-size:1.4rem}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.form{max-width:38rem}
.field{margin:0 0 1.15rem}.field label{display:block;font-weight:550;margin-bottom:.25rem}
.field input,.field select,.field textarea,td select{width:100%;background:var(--paper);border:1px solid var(--edge);border-radius:.45rem;padding:.5rem .75rem}
.field textarea{resize:vertical}.field input,.field select{min-height:2.6rem}
.field [aria-invalid=true]{border-color:var(--danger)}
td select{width:auto;padding:.2rem .5rem}
fieldset.field{border:0;padding:0}.field legend{font-weight:550;margin-bottom:.25rem;padding:0}.field .check{display:flex;font-weight:400;margin:0 0 .4rem}.field .check input{width:auto;min-height:0}
dl.subject{margin:0;padding:0;border:0;background:none}dl.subject div{display:flex;gap:.5rem}
.filters .form{display:flex;flex-wrap:wrap;gap:0 1.2rem;max-width:none}.filters .field{flex:1 1 17rem;max-width:26rem}.filters .actions{flex-basis:100%;margin:0 0 1.4rem}dl.subject dt{color:var(--soft);white-space:nowrap}dl.subject dd{margin:0;overflow-wrap:anywhere}
td.state{white-space:nowrap;font-weight:550}td.failed{color:var(--danger)}td.not_tried{color:var(--soft);font-weight:400}td.state code{font-size:.8rem;font-weight:400}
.hint,.fault{margin:.3rem 0 0;font-size:.9rem;color:var(--soft)}.fault{color:var(--danger);font-weight:550}
.check{display:flex;gap:.6rem;align-items:baseline;margin:0 0 1.15rem}
button.button{border:0;cursor:pointer}button:disabled,button[aria-disabled]{opacity:.55;cursor:default}
.button.second{background:var(--paper);color:var(--link);box-shadow:inset 0 0 0 1px var(--edge)}
.button.danger{background:var(--danger);color:var(--paper)}.button.ends{color:var(--danger)}
section.endings{border:1px solid color-mix(in oklab,var(--danger) 45%,var(--line));border-radius:var(--radius);padding:1.1rem 1.2rem .4rem}
.ending{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between;border-top:1px solid var(--line);padding:.8rem 0}.ending p{margin:0;flex:1 1 18rem;max-width:46rem}h3+.ending{border-top:0;padding-top:.2rem}
button.plain{border:0;background:none;padding:.25rem 0;color:var(--link);cursor:pointer;text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
button.small{border:1px solid var(--edge);background:var(--paper);border-radius:.4rem;padding:.15rem .65rem;font-size:.87rem;cursor:pointer}
button.small,td.day{white-space:nowrap}button.small:hover{border-color:var(--link)}
.tile .foot{align-items:center}.tile .small{position:relative;margin-left:auto}
.notices{position:sticky;top:.5rem;z-index:2}html:has(.notices>.notice){scroll-padding-top:8rem}.notices:empty{display:none}.notice p{margin:0}.notice p+*{margin-top:.4rem}
.notices .notice p+*{margin-top:0}.notices .notice{box-shadow:0 .2rem .8rem color-mix(in oklab,var(--ink) 18%,transparent);display:flex;gap:.5rem 1.5rem;justify-content:space-between;align-items:baseline;flex-wrap:wrap}
.notice.problem{border-color:var(--danger)}
.empty{border:1px dashed var(--line);border-radius:var(--radius);padding:1.6rem;color:var(--soft);margin-bottom:1rem}.empty p:last-child{margin:0}
.table{overflow-x:auto;margin-bottom:1rem}.table .files td{overflow-wrap:anywhere}
.table .soft{font-size:.87rem}
.cards{list-style:none;padding:0;margin:0}.card .actions{margin-top:.75rem}
.create{border:0;margin:0 0 1.5rem}.create>summary{display:inline-block;list-style:none;background:var(--link);color:var(--paper);font-weight:600;border-radius:.45rem;padding:.5rem 1.1rem}
.create>summary::before{content:"+";margin-right:.5rem}.create>summary::-webkit-details-marker{display:none}.create>summary:hover{filter:brightness(1.1)}section .create>summary{background:var(--paper);color:var(--link);box-shadow:inset 0 0 0 1px var(--edge)}
.create[open]{border:1px solid var(--line);border-radius:var(--radius)}.create[open]>summary{display:block;background:none;color:inherit;box-shadow:none;padding:.75rem 1.2rem}.create[open]>summary::before{content:"–"}.create>:not(summary,dialog){margin-left:1.2rem;margin-right:1.2rem}
.create form{padding:.2rem 0 .6rem}.create .actions{margin-bottom:.6rem}
.steps{padding-left:1.4rem;max-width:44rem}.steps li{padding:.3rem 0 .3rem .4rem}.steps .soft{display:block}.steps .button{margin:.3rem .6rem .3rem 0}.steps .done{color:var(--soft);text-decoration:line-through}
.facts.wide{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:.4rem 2rem}
.facts code{overflow-wrap:anywhere}
dialog{border:1px solid var(--line);border-radius:calc(var(--radius)*1.3);background:var(--paper);color:var(--ink);--inset:min(1.6rem,5vw);padding:var(--inset);width:min(38rem,calc(100vw - min(2rem,5vw)));max-height:calc(100dvh - 2rem);overflow:auto}
dialog>h2{position:sticky;top:calc(-1*var(--inset));z-index:1;margin:calc(-1*var(--inset)) calc(-1*var(--inset)) .5rem;padding:1.1rem var(--inset) 0;border-bottom:.7rem solid var(--paper);background:var(--paper);overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
dialog::backdrop{background:rgb(5 12 16/.55)}dialog .actions{margin:.5rem 0 0}
.stops{padding-left:1.2rem}.stops li{margin:.35rem 0}
.secret dt{color:var(--soft);font-size:.85rem}.secret dd{margin:0 0 .9rem;overflow-wrap:anywhere}
.hero .actions{margin-top:1.5rem}.hero .button{font-size:1.05rem}
section.block{margin-top:2.5rem}section.block>h2,section.block>h3{font-size:1.25rem;margin-bottom:.6rem}section.block:first-child,h2.unseen+section.block{margin-top:0}
@media(min-width:34.01rem){.table .files td{min-width:7rem}.table .files td:first-child{min-width:10rem}}
@media(forced-colors:active){.create>summary,button.button,.badge{border:1px solid}.tabs a{border-bottom-color:Canvas}.tabs a[aria-current]{border-bottom-color:Highlight}dialog>h2{border-bottom-color:Canvas}button:disabled,button[aria-disabled]{opacity:1;color:GrayText;border-color:GrayText}}
@media(max-width:34rem){.stacked thead{display:none}.stacked table,.stacked tbody,.stacked tr,.stacked td{display:block}.stacked .files{border:0}.stacked .files td{border:0;padding:.2rem .9rem}.stacked .files tr{border:1px solid var(--line);border-radius:var(--radius);padding:.45rem 0;margin:0 0 .75rem}
.stacked td[data-label]::before{content:attr(data-label) ": ";color:var(--soft);font-size:.87rem}.stacked td br{display:none}.stacked td br+*{margin-left:.4rem}.stacked td:first-child br{display:inline}.stacked td:first-child br+*{margin-left:0}.stacked td:empty{display:none}
.ending .button{width:100%;text-align:center}.stacked .files .when{display:block;color:var(--soft)}.stacked dl.subject div{flex-wrap:wrap;gap:0 .5rem}}
`;
