const sharedRules = `
button,input,select,textarea{font:inherit;color:inherit}
h1:focus,h2:focus{outline:none}h1 small{font-size:.5em;font-weight:500;color:var(--soft)}
.tabs{display:flex;gap:1.6rem;overflow-x:auto;scrollbar-width:thin;border-bottom:1px solid var(--line);margin:1rem 0 1.75rem;--under:color-mix(in oklab,var(--ink) 30%,transparent);background:linear-gradient(to left,transparent,var(--paper) 70%) 0 0/2.5rem 100% no-repeat local,linear-gradient(to right,transparent,var(--paper) 70%) 100% 0/2.5rem 100% no-repeat local,linear-gradient(to right,var(--under),transparent) 0 0/1rem 100% no-repeat,linear-gradient(to left,var(--under),transparent) 100% 0/1rem 100% no-repeat}
.tabs a{flex:none;padding:.5rem 0;color:var(--soft);text-decoration:none;border-bottom:2px solid transparent}.tabs a:focus-visible{outline-offset:-2px}
.tabs a:hover{color:var(--ink)}.tabs a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--link)}
.sections{display:grid;grid-template-columns:12rem minmax(0,1fr);gap:2.5rem;align-items:start}h1+.sections{margin-top:1.5rem}.sections>nav{position:sticky;top:1rem}.sections ul{list-style:none;margin:0;padding:0}.sections>nav a{display:block;padding:.4rem .8rem;border-radius:.45rem;color:var(--ink);text-decoration:none}.sections>nav a:hover{background:var(--raised)}.sections>nav a[aria-current]{background:var(--tint);font-weight:600}.sections>nav .danger{color:var(--danger)}
.people{list-style:none;padding:0;margin:0}.people li{margin:.4rem 0;overflow-wrap:anywhere}.readme-editor .form{max-width:none}.readme-editor textarea{min-height:min(60vh,36rem);font-family:var(--mono);font-size:.9rem}.theirs{max-height:20rem;overflow:auto;white-space:pre-wrap}button.small[aria-pressed=true]{background:var(--tint);border-color:var(--link);font-weight:600}
.section>section.block:first-of-type{margin-top:0}.section>h2.view{margin-bottom:1rem}.section>.properties{margin-bottom:1.25rem}
.save-bar:has(button){position:fixed;inset:auto 0 0;z-index:1;display:flex;flex-wrap:wrap;gap:.6rem 1.5rem;align-items:center;justify-content:space-between;padding:.75rem max(var(--gap),50% - 38rem + var(--gap));background:var(--paper);border-top:1px solid var(--link);box-shadow:0 -.2rem .8rem color-mix(in oklab,var(--ink) 14%,transparent)}.save-bar p{margin:0;flex:1 1 12rem;overflow-wrap:anywhere}.save-bar .actions{margin:0}html:has(.save-bar button){scroll-padding-bottom:9rem}body:has(.save-bar button){padding-bottom:8rem}
h2.view{font-size:1.4rem}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.form{max-width:38rem}
.field{margin:0 0 1.15rem}.field label{display:block;font-weight:550;margin-bottom:.25rem}
.field input,.field select,.field textarea,td select{width:100%;background:var(--paper);border:1px solid var(--edge);border-radius:.45rem;padding:.5rem .75rem}
.field textarea{resize:vertical}.field input,.field select{min-height:2.6rem}
.field [aria-invalid=true]{border-color:var(--danger)}
td select{width:auto;padding:.2rem .5rem}
fieldset.field{border:0;padding:0}.field legend{font-weight:550;margin-bottom:.25rem;padding:0}.field .check{display:flex;font-weight:400;margin:0 0 .4rem}.field .check input{width:auto;min-height:0}
td details{margin-top:.2rem;font-size:.87rem;border:0}td summary{font-weight:400;color:var(--soft);padding:.2rem 0}dl.subject{margin:0;padding:0;border:0;background:none}dl.subject div{display:flex;gap:.5rem}
.filters .form{display:flex;flex-wrap:wrap;gap:0 1.2rem;max-width:none}.filters .field{flex:1 1 10rem;max-width:26rem}.filters .all{flex-basis:100%;margin:0 0 1rem}.filters .actions{flex-basis:100%;margin:0 0 1.4rem}dl.subject dt{color:var(--soft);white-space:nowrap}dl.subject dd{margin:0;overflow-wrap:anywhere}
.state,.state~* code{white-space:nowrap}.state{font-weight:550}.state.failed{color:var(--danger)}.state.passed{color:var(--link)}.state.not_tried{color:var(--soft);font-weight:400}
.hint,.fault{margin:.3rem 0 0;font-size:.9rem;color:var(--soft)}.fault{color:var(--danger);font-weight:550}
.check{display:flex;gap:.6rem;align-items:baseline;margin:0 0 1.15rem}
button.button{border:0;cursor:pointer}button:disabled,button[aria-disabled]{opacity:.55;cursor:default}
.button.danger{background:var(--danger);color:var(--paper)}.button.ends{color:var(--danger)}
section.endings{border:1px solid color-mix(in oklab,var(--danger) 45%,var(--line));border-radius:var(--radius);padding:1.1rem 1.2rem .4rem}
.ending{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;justify-content:space-between;border-top:1px solid var(--line);padding:.8rem 0}.ending p{margin:0;flex:1 1 18rem;max-width:46rem}h3+.ending{border-top:0;padding-top:.2rem}
button.plain{border:0;background:none;padding:.25rem 0;color:var(--link);cursor:pointer;text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
button.small{border:1px solid var(--edge);background:var(--paper);border-radius:.4rem;padding:.15rem .65rem;font-size:.87rem;cursor:pointer}
button.small,td.day{white-space:nowrap}button.small:hover{border-color:var(--link)}
.tile .foot{align-items:center}.tile .small{position:relative;margin-left:auto}
.notices{position:sticky;top:.5rem;z-index:2}html:has(.notices>.notice){scroll-padding-top:8rem}.notices:empty{display:none}.notice p{margin:0}.notice p+*{margin-top:.4rem}
.notices .notice p+*{margin-top:0}.notices .notice{box-shadow:0 .2rem .8rem color-mix(in oklab,var(--ink) 18%,transparent);display:flex;gap:.5rem 1.5rem;justify-content:space-between;align-items:baseline;flex-wrap:wrap}
.notice.problem{border-color:var(--danger)}.banner>*{margin:0}.banner>*+*{margin-top:.5rem}.banner blockquote{margin-left:0;padding-left:.8rem;border-left:2px solid var(--line);white-space:pre-line;overflow-wrap:anywhere}
.empty{border:1px dashed var(--line);border-radius:var(--radius);padding:1.6rem;color:var(--soft);margin-bottom:1rem}.empty p:last-child{margin:0}
.table{overflow-x:auto;margin-bottom:1rem}.table .files td{overflow-wrap:anywhere}
.table .soft{font-size:.87rem}
.cards{list-style:none;padding:0;margin:0}.card .actions{margin-top:.75rem}
.create{border:0;margin:0 0 1.5rem}.create>summary{display:inline-block;list-style:none;background:var(--link);color:var(--paper);font-weight:600;border-radius:.45rem;padding:.5rem 1.1rem}
.create>summary::before{content:"+";margin-right:.5rem}.create>summary::-webkit-details-marker{display:none}.create>summary:hover{filter:brightness(1.1)}section .create>summary{background:var(--paper);color:var(--link);box-shadow:inset 0 0 0 1px var(--edge)}
.create[open]{border:1px solid var(--line);border-radius:var(--radius)}.create[open]>summary{display:block;background:none;color:inherit;box-shadow:none;padding:.75rem 1.2rem}.create[open]>summary::before{content:"–"}.create>:not(summary,dialog){margin-left:1.2rem;margin-right:1.2rem}
.create form{padding:.2rem 0 .6rem}.create .actions{margin-bottom:.6rem}
.steps{padding-left:1.4rem;max-width:44rem}.steps li{padding:.3rem 0 .3rem .4rem}.steps .soft{display:block}.steps .button{margin:.3rem .6rem .3rem 0}.steps .done{color:var(--soft);text-decoration:line-through}
.properties.wide{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:.4rem 2rem}
.properties code{overflow-wrap:anywhere}
dialog{border:1px solid var(--line);border-radius:calc(var(--radius)*1.3);background:var(--paper);color:var(--ink);--inset:min(1.6rem,5vw);padding:var(--inset);width:min(38rem,calc(100vw - min(2rem,5vw)));max-height:calc(100dvh - 2rem);overflow:auto}
dialog>h2{position:sticky;top:calc(-1*var(--inset));z-index:1;margin:calc(-1*var(--inset)) calc(-1*var(--inset)) .5rem;padding:1.1rem var(--inset) 0;border-bottom:.7rem solid var(--paper);background:var(--paper);overflow-wrap:anywhere;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
dialog>.close{position:sticky;top:calc(.7rem - var(--inset));height:0;z-index:2;display:flex;justify-content:flex-end}dialog>.close>button{flex:none;width:2.2rem;height:2.2rem;margin:calc(var(--inset)*-.5) calc(var(--inset)*-.5) 0 0;border:0;border-radius:.45rem;background:none;color:var(--soft);font-size:1.5rem;line-height:1;cursor:pointer}dialog>.close>button:hover{background:var(--tint);color:var(--ink)}dialog>.close+h2{padding-right:calc(var(--inset) + 1.6rem)}
dialog li{overflow-wrap:anywhere}dialog::backdrop{background:rgb(5 12 16/.55)}dialog .actions{margin:.5rem 0 0}
.stops{padding-left:1.2rem}.stops li{margin:.35rem 0}
.secret dt{color:var(--soft);font-size:.85rem}.secret dd{margin:0 0 .9rem;overflow-wrap:anywhere}
.hero .actions{margin-top:1.5rem}.hero .button{font-size:1.05rem}
section.block{margin-top:2.5rem}section.block>h2,section.block>h3{font-size:1.25rem;margin-bottom:.6rem}section.block:first-child,h2.unseen+section.block{margin-top:0}
@media(min-width:34.01rem){.table .files td{min-width:7rem}.table .files td:first-child{min-width:10rem}}
@media(forced-colors:active){.create>summary,button.button,.badge{border:1px solid}.tabs a{border-bottom-color:Canvas}.tabs a[aria-current]{border-bottom-color:Highlight}dialog>h2{border-bottom-color:Canvas}button:disabled,button[aria-disabled]{opacity:1;color:GrayText;border-color:GrayText}}
@media(max-width:48rem){.sections{grid-template-columns:minmax(0,1fr);gap:1.25rem}.sections>nav{position:static}.sections ul{display:flex;flex-wrap:wrap;gap:.35rem}.sections>nav a{border:1px solid var(--line);padding:.25rem .7rem}.sections>nav a[aria-current]{border-color:var(--link)}}
@media(max-width:34rem){.stacked thead{display:none}.stacked table,.stacked tbody,.stacked tr,.stacked td{display:block}.stacked .files{border:0}.stacked .files td{border:0;padding:.2rem .9rem}.stacked .files tr{border:1px solid var(--line);border-radius:var(--radius);padding:.45rem 0;margin:0 0 .75rem}
.stacked td[data-label]::before{content:attr(data-label) ": ";color:var(--soft);font-size:.87rem}.stacked td br{display:none}.stacked td br+*{margin-left:.4rem}.stacked td:first-child br{display:inline}.stacked td:first-child br+*{margin-left:0}.stacked td.lines br{display:inline}.stacked td.lines br+*{margin-left:0}.stacked td:empty{display:none}
.ending .button{width:100%;text-align:center}.stacked .files .when{display:block;color:var(--soft)}.stacked dl.subject div{flex-wrap:wrap;gap:0 .5rem}}
`;

/** Style rules of the views that show files. */
const filesRules = `
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
.properties.inline{display:grid;align-items:baseline;grid-template-columns:auto minmax(0,1fr);gap:.2rem 1.2rem;margin-bottom:1.1rem}.properties.inline dt{margin:0;overflow-wrap:anywhere}
.copy{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:0 0 .75rem}.copy input{flex:1 1 12rem;min-width:0}
.copy input,label.inline select{color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:.45rem;padding:.4rem .7rem}
label.inline{display:inline-flex;gap:.6rem;align-items:center;flex-wrap:wrap}
@media(forced-colors:active){progress{border:1px solid CanvasText;height:.75rem}progress::-webkit-progress-value{background:Highlight;forced-color-adjust:none}progress::-moz-progress-bar{background:Highlight;forced-color-adjust:none}}
@media(max-width:34rem){.transfers li{grid-template-columns:minmax(0,1fr) auto}.transfers progress{grid-column:1/-1;grid-row:2}.troubled li{grid-template-columns:minmax(0,1fr)}.troubled .choices{grid-column:1;grid-row:auto}.choose .hint{display:none}}
`;

/** Style rules of the views that show service accounts and keys. */
const machinesRules = `
.machine-id{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:0 0 .35rem}.machine-id h3{margin:0;font-size:1.4rem;overflow-wrap:anywhere}
.badge{display:inline-block;border:1px solid var(--line);border-radius:1rem;padding:.02rem .6rem;font-size:.8rem;font-weight:550;color:var(--soft);white-space:nowrap}
.badge.live{border-color:var(--link);color:var(--link)}.badge.over{border-color:var(--danger);color:var(--danger)}
.refused{border:1px solid var(--danger);border-radius:var(--radius);padding:1.1rem 1.2rem;margin:0 0 1.5rem}.refused h3{margin-bottom:.6rem}
.refused dl{margin:0 0 1rem;display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.55rem 1.2rem}
.refused dt{color:var(--soft);font-size:.9rem}.refused dd{margin:0;overflow-wrap:anywhere}.refused .actions{margin:0}
.refused code mark{background:color-mix(in oklab,var(--danger) 24%,var(--paper));color:inherit;border-radius:.2rem;padding:.05em .1em;font-weight:650}
.subject{border:1px solid var(--line);border-radius:var(--radius);background:var(--raised);padding:.75rem 1rem;margin:0 0 1.15rem}
.subject p{margin:0}.subject .soft{font-size:.87rem}.subject code{display:block;margin:.25rem 0;overflow-wrap:anywhere;background:none;padding:0;font-size:.95rem}
.create details.more{margin:0 0 1.15rem;padding:0 1rem}details.more>summary{margin:0 -1rem}details.more[open]>summary{margin-bottom:.2rem}details.more>:not(summary){margin-left:0;margin-right:0}details.more>.soft{margin-top:0}
dl.names{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem 1rem;margin:.4rem 0}dl.names dt{color:var(--soft);font-size:.9rem}dl.names dd{margin:0;overflow-wrap:anywhere}.subject dl.names code{margin:0}.subject .actions{margin:.5rem 0 0}
.claim{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,2fr) auto;gap:0 .75rem;align-items:end;margin-top:.6rem}.claim>button{margin-bottom:1.6rem}
.recipe h4{margin:1rem 0 .3rem;font-size:.92rem}.block-title{display:flex;gap:.5rem 1rem;justify-content:space-between;align-items:baseline;flex-wrap:wrap;margin:.9rem 0 .3rem}
.block-title p{margin:0;font-size:.9rem;color:var(--soft);overflow-wrap:anywhere;flex:1 1 8rem}.recipe pre{margin:0 0 .4rem;max-height:22rem}.recipe ul{padding-left:1.2rem;font-size:.92rem;color:var(--soft)}
.card>h4{margin-bottom:.8rem}.replace{counter-reset:step;list-style:none;padding:0;margin:0 0 1rem}.replace>li{counter-increment:step;padding:0 0 .9rem 2.4rem;position:relative}
.replace>li::before{content:counter(step);position:absolute;left:0;top:.05rem;width:1.6rem;height:1.6rem;border-radius:50%;background:var(--tint);text-align:center;font-size:.9rem;line-height:1.6rem;font-weight:600}
.replace>li>h4{margin:0 0 .3rem;font-size:1rem}.replace .form{margin-top:.5rem}
.table td .row-actions{display:flex;flex-wrap:wrap;gap:.35rem}.table td code{font-size:.82rem;overflow-wrap:anywhere}
dialog.wide{width:min(52rem,calc(100vw - min(2rem,5vw)))}
section.block>h3+.soft{max-width:46rem}
.recipe>.field{max-width:38rem}
@media(max-width:34rem){.claim{grid-template-columns:minmax(0,1fr);border-bottom:1px solid var(--line);margin-bottom:.8rem}.claim>button{justify-self:start;margin-bottom:.8rem}.claim .field{margin-bottom:.6rem}.refused dl{grid-template-columns:minmax(0,1fr);gap:.1rem}.refused dd+dt{margin-top:.6rem}}
`;

/** Style rules of the views that show storage of an account. */
const storageRules = `
.choice{min-width:0}.choice label>span{min-width:0;overflow-wrap:anywhere}.choice div{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,11rem),1fr));gap:.5rem}.choice div:has(small){grid-template-columns:minmax(0,1fr)}
.choice label{display:flex;gap:.6rem;align-items:baseline;margin:0;border:1px solid var(--edge);border-radius:.45rem;padding:.5rem .75rem;cursor:pointer}.choice label:has(:checked){border-color:var(--link);background:var(--tint)}
.choice input{flex:none;width:auto;min-height:0;accent-color:var(--link)}.choice small{display:block;font-weight:400;font-size:.87rem;color:var(--soft)}.choice .badge{background:var(--paper);white-space:normal}
.guide{max-width:54rem}.guide>li{padding-bottom:1.4rem}.guide>li>h3{margin:0 0 .6rem;font-size:1.15rem;display:flex;flex-wrap:wrap;gap:.3rem .75rem;align-items:center}.guide>.later,.guide>.later>h3{color:var(--soft);font-weight:500}.guide>.done::before{content:"✓";color:var(--link)}
.block .properties.wide{margin-bottom:1rem}.ending .blocked{flex-basis:100%}.ending .blocked ul{margin-bottom:.4rem}
.guide pre,.block details pre{max-height:22rem}.guide details ol{padding-left:1.3rem}
@media(max-width:34rem){.guide>li{padding-left:2rem}}
`;

/**
 * Style rules of the console, used in addition to those of the public pages. They use the CSS variables that
 * `stylesheetOf` defines.
 */
export const consoleRules = sharedRules + filesRules + machinesRules + storageRules;
