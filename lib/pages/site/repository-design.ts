/** Style rules of the pages of repositories, folders, and files, in addition to those of all pages. */
export const repositoryRules = `
main button.plain{border:0;background:none;padding:0;font:inherit;color:var(--link);cursor:pointer;text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.18em}
.files th button.plain{color:inherit;text-decoration:none}.files th button.plain:hover{text-decoration:underline}
.files th[aria-sort=ascending] button::after{content:" ↑"}.files th[aria-sort=descending] button::after{content:" ↓"}
.files .count{color:var(--soft);font-size:.85rem;margin-left:.75rem;white-space:nowrap}
.list-tools{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:0 0 .75rem;font-size:.9rem}.list-tools input{flex:0 1 18rem;font-size:.95rem;padding:.35rem .9rem}
.readme{border:1px solid var(--line);border-radius:var(--radius);margin:1.5rem 0;padding:0 clamp(1rem,3vw,1.75rem) .5rem}
.readme>h2{font-size:.95rem;font-weight:600;margin:0 calc(-1*clamp(1rem,3vw,1.75rem)) 1.1rem;padding:.6rem 1rem;background:var(--raised);border-bottom:1px solid var(--line);border-radius:var(--radius) var(--radius) 0 0}.readme>h2 a{color:inherit;text-decoration:none}.readme>h2 a:hover{text-decoration:underline}
.preview-frame{width:100%;height:min(75vh,48rem);border:1px solid var(--line);border-radius:var(--radius)}
dl+h4{margin-top:1.25rem}details.preview .preview-image{display:block;margin:.6rem auto 1rem}details.preview .preview-frame{display:block;width:100%;margin:0;border:0;border-top:1px solid var(--line);border-radius:0}details.preview>p{margin:.6rem 1rem;font-size:.92rem}
.readme .prose>:first-child{margin-top:0}
.contents{float:right;margin:0 0 1rem 1.5rem;max-width:17rem;background:var(--paper);font-size:.9rem}.contents summary{padding:.4rem .9rem}.contents ul{list-style:none;padding:0;margin:0 0 .5rem}.contents li{margin:.2rem 0;overflow-wrap:anywhere}.contents .level-1{padding-left:1rem}.contents .level-2{padding-left:2rem}
.prose li:has(>input[type=checkbox],>p>input[type=checkbox]:first-child){list-style:none}.prose li input[type=checkbox]{margin:0 .5em 0 -1.4em;vertical-align:-.1em}
.tool-tabs{border:0;padding:0;margin:0;min-width:0;display:flex;flex-wrap:wrap}
.tool-tabs input{position:absolute;opacity:0;pointer-events:none}
.tool-tabs label{padding:.45rem .95rem;cursor:pointer;color:var(--soft);border-bottom:2px solid transparent}.tool-tabs label:hover{color:var(--ink)}
.tool-tabs input:checked+label{color:var(--ink);font-weight:600;border-color:var(--link)}.tool-tabs input:focus-visible+label{outline:2px solid var(--link);outline-offset:-2px;border-radius:.25rem}
.tool-tabs>pre,.tool-tabs>.copyable{order:1;flex:1 0 100%;width:100%;display:none;border-top-left-radius:0}
.tool-tabs input:checked+label+*{display:block}
.copyable{position:relative}.copyable>pre{padding-right:5rem}.copyable>.copy-button{position:absolute;top:.5rem;right:.5rem}
.copy-button{font:inherit;font-size:.8rem;line-height:1.4;color:var(--ink);background:var(--paper);border:1px solid var(--line);border-radius:.4rem;padding:.15rem .55rem;cursor:pointer}.copy-button:hover{border-color:var(--link);color:var(--link)}
.notice>:last-child{margin-bottom:0}
@media(max-width:34rem){.contents{float:none;margin:0 0 1rem;max-width:none}.files .count{display:block;margin-left:1.6rem}}
@media(forced-colors:active){.tool-tabs label{border-bottom-color:Canvas}.tool-tabs input:checked+label{border-bottom-color:Highlight}}
@media print{.list-tools,.copy-button,.contents,.tool-tabs label,.byline button{display:none}.tool-tabs>*{display:block}}
`;
