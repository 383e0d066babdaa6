/** What the console has beyond the public pages; the tokens are those of `stylesheetOf`. */
export const consoleRules = `
button,input,select,textarea{font:inherit;color:inherit}
h1:focus,h2:focus{outline:none}h1 small{font-size:.5em;font-weight:500;color:var(--soft)}
.person{display:flex;flex-wrap:wrap;gap:.4rem 1.5rem;align-items:center;margin:0 0 1.75rem;padding-bottom:.85rem;border-bottom:1px solid var(--line);font-size:.95rem}
.person a{color:inherit;text-decoration:none}.person a:hover,.person a[aria-current]{text-decoration:underline;text-underline-offset:.3em}.person button{margin-left:auto}
.tabs{display:flex;gap:.25rem 1.6rem;flex-wrap:wrap;border-bottom:1px solid var(--line);margin:1rem 0 1.75rem}
.tabs a{padding:.5rem 0;color:var(--soft);text-decoration:none;border-bottom:2px solid transparent;margin-bottom:-1px}
.tabs a:hover{color:var(--ink)}.tabs a[aria-current]{color:var(--ink);font-weight:600;border-color:var(--link)}
h2.view{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.form{max-width:38rem}
.field{margin:0 0 1.15rem}.field label{display:block;font-weight:550;margin-bottom:.25rem}
.field input,.field select,.field textarea,td select{width:100%;background:var(--raised);border:1px solid var(--line);border-radius:.45rem;padding:.5rem .75rem}
.field textarea{resize:vertical}.field input,.field select{min-height:2.6rem}
.field [aria-invalid=true]{border-color:var(--danger)}
td select{width:auto;padding:.2rem .5rem}
fieldset.field{border:0;padding:0}.field legend{font-weight:550;margin-bottom:.25rem;padding:0}.field .check{display:flex;font-weight:400;margin:0 0 .4rem}.field .check input{width:auto;min-height:0}
dl.subject{margin:0;padding:0;border:0;background:none}dl.subject div{display:flex;gap:.5rem}
.filters .form{display:flex;flex-wrap:wrap;gap:0 1.2rem;max-width:none}.filters .field{flex:1 1 17rem;max-width:26rem}.filters .actions{flex-basis:100%;margin:0 0 1.4rem}dl.subject dt{color:var(--soft);white-space:nowrap}dl.subject dd{margin:0;overflow-wrap:anywhere}
td.state{white-space:nowrap;font-weight:550}td.failed{color:var(--danger)}td.not_tried{color:var(--soft);font-weight:400}td.state code{font-size:.8rem;font-weight:400}
.hint,.fault{margin:.3rem 0 0;font-size:.9rem;color:var(--soft)}.fault{color:var(--danger);font-weight:550}
.check{display:flex;gap:.6rem;align-items:baseline;margin:0 0 1.15rem}
button.button{border:0;cursor:pointer}button:disabled{opacity:.55;cursor:default}
.button.second{background:var(--raised);color:var(--link);box-shadow:inset 0 0 0 1px var(--line)}
.button.danger{background:var(--danger);color:var(--paper)}
button.plain{border:0;background:none;padding:.25rem 0;color:var(--link);cursor:pointer;text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
button.small{border:1px solid var(--line);background:var(--paper);border-radius:.4rem;padding:.15rem .65rem;font-size:.87rem;cursor:pointer}
button.small:hover{border-color:var(--link)}
.tile .foot{align-items:center}.tile .small{position:relative;margin-left:auto}
.notices:empty{display:none}.notice p{margin:0}.notice p+*{margin-top:.4rem}
.notices .notice{display:flex;gap:.5rem 1.5rem;justify-content:space-between;align-items:baseline;flex-wrap:wrap}
.notice.problem{border-color:var(--danger)}
.empty{border:1px dashed var(--line);border-radius:var(--radius);padding:1.6rem;color:var(--soft);margin-bottom:1rem}.empty p:last-child{margin:0}
.table{overflow-x:auto;margin-bottom:1rem}.table .files td{overflow-wrap:normal}.table .files td:first-child{min-width:9rem}
.table .soft{font-size:.87rem}
.cards{list-style:none;padding:0;margin:0}.card .actions{margin-top:.75rem}
.create{margin:0 0 1.5rem}.create form{padding:.4rem 0 .6rem}.create .actions{margin-bottom:.6rem}
.steps{padding-left:1.4rem;max-width:44rem}.steps li{padding:.3rem 0 .3rem .4rem}.steps .done{color:var(--soft);text-decoration:line-through}
.facts.wide{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:.4rem 2rem}
.facts code{overflow-wrap:anywhere}
dialog{border:1px solid var(--line);border-radius:calc(var(--radius)*1.3);background:var(--paper);color:var(--ink);padding:1.6rem;width:min(38rem,calc(100vw - 2rem));max-height:calc(100dvh - 2rem);overflow:auto}
dialog::backdrop{background:rgb(5 12 16/.55)}dialog .actions{margin:.5rem 0 0}
.stops{padding-left:1.2rem}.stops li{margin:.35rem 0}
.secret dt{color:var(--soft);font-size:.85rem}.secret dd{margin:0 0 .9rem;overflow-wrap:anywhere}
.hero .actions{margin-top:1.5rem}.hero .button{font-size:1.05rem}
.console h2{margin-top:0}section.block:first-child{margin-top:0}
@media(max-width:34rem){.stacked .files .when{display:block;color:var(--soft)}.stacked dl.subject div{flex-wrap:wrap;gap:0 .5rem}}
`;
