/** Style rules of the pages that list repositories, in addition to those of every page. */
export const catalogueRules = `
.hero form[role=search]{max-width:34rem;margin-top:1.5rem}.hero input{padding:.8rem 1.3rem;font-size:1.05rem;min-width:0}.hero form .button{border-radius:2rem;padding:.5rem 1.4rem}
.publish{display:flex;flex-wrap:wrap;gap:.75rem 2rem;align-items:center;justify-content:space-between;background:var(--tint);border-radius:var(--radius);padding:1.2rem 1.4rem;margin:0 0 2.25rem}.publish>div{flex:1 1 20rem}.publish h2{margin-bottom:.25rem}.publish p{margin:0;max-width:44rem}
.cover{position:relative;margin:-1.1rem -1.2rem .5rem;aspect-ratio:20/7;border-radius:var(--radius) var(--radius) 0 0;overflow:hidden;forced-color-adjust:none}.cover::before{content:"";position:absolute;inset:0;background:repeating-radial-gradient(circle at 15% 130%,rgb(255 255 255/.13) 0 1.1rem,transparent 1.1rem 2.2rem),linear-gradient(120deg,rgb(0 0 0/.25),transparent)}.cover img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}@media(prefers-color-scheme:dark){.cover{filter:brightness(.82)}}
.results{display:grid;grid-template-columns:14rem minmax(0,1fr);gap:2rem;align-items:start}.results .facets{padding:0;border:0;margin:0}.facets>*{margin:0}.facets h3{font-size:.9rem;margin:0 0 .35rem}.facets ul{list-style:none;margin:0 0 1.25rem;padding:0;font-size:.92rem}.facets li a{display:flex;justify-content:space-between;gap:.5rem;padding:.15rem .5rem;margin-left:-.5rem;border-radius:.35rem;color:inherit;text-decoration:none;overflow-wrap:anywhere}.facets li a:hover{background:var(--tint)}.facets .count,.topics .count{color:var(--soft);font-variant-numeric:tabular-nums}
.chips{list-style:none;display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:0 0 1rem}.chips a{display:inline-flex;gap:.4rem;background:var(--tint);border-radius:1rem;padding:.2rem .8rem;font-size:.9rem;color:inherit;text-decoration:none}
.totals{display:flex;flex-wrap:wrap;gap:.25rem 1.75rem;margin:1.25rem 0 0;color:var(--soft)}.totals strong{color:var(--ink);font-size:1.15rem}.topics a{display:flex;gap:.5rem}
@media(max-width:48rem){.results{grid-template-columns:minmax(0,1fr);gap:1rem}.results .facets{border:1px solid var(--line)}.results .facets>div{padding:.25rem 1rem}}
@supports selector(::details-content){@media(min-width:48.01rem){.facets>summary{display:none}.facets::details-content{content-visibility:visible;block-size:auto}}}
.tile .name{display:flex;gap:.45rem;align-items:center;margin-bottom:.25rem}
@media(forced-colors:active){.publish{border:1px solid}}
`;
