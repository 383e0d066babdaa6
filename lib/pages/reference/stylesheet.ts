/** The style rules of the reference page, in addition to those of the site's header and footer. */
export const rules = `
:root {
  --key: #05637f; --string: #2f6a1d; --value: #8a4b00;
  --get: #05637f; --post: #1c7a3d; --put: #96590a; --patch: #6f4bb3; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --key: #7fd1e8; --string: #b9e08c; --value: #f3b87c;
    --get: #6cc8e4; --post: #7ccf95; --put: #e3ad5c; --patch: #b99df0; --delete: #f28b82;
  }
}
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--text); }
.inner { max-width: none; }
.reference { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
code, pre, var { font: 0.875em/1.5 var(--mono); }

.bar { display: none; }
#contents { display: block; position: sticky; inset: 0 auto auto 0; width: auto; height: 100vh; margin: 0; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; border: 0; border-right: 1px solid var(--line); background: var(--raised); color: var(--ink); font-size: 0.875rem; }
.find { position: relative; margin-bottom: 1rem; }
.find[hidden] { display: none; }
.find input { width: 100%; padding: 0.5rem 2rem 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--paper); color: inherit; font: inherit; font-size: 1rem; }
.find input::placeholder { color: var(--soft); opacity: 1; }
.find kbd { position: absolute; right: 0.5rem; top: 50%; translate: 0 -50%; padding: 0 0.35rem; border: 1px solid var(--line); border-radius: 0.25rem; font-size: 0.75rem; color: var(--soft); }
.find input:focus + kbd { visibility: hidden; }
.nothing { color: var(--soft); }
#contents summary { margin: 1.2rem 0 0.3rem; cursor: pointer; list-style: none; display: flex; align-items: baseline; gap: 0.4rem; }
#contents summary::-webkit-details-marker { display: none; }
#contents summary::before { content: "›"; flex: 0 0 0.6rem; color: var(--soft); }
#contents details[open] > summary::before { rotate: 90deg; }
#contents h2 { margin: 0; font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--soft); }
#contents ul { list-style: none; margin: 0; padding: 0 0 0 1rem; }
#contents li + li { margin: 0; }
#contents a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.22rem 0.4rem; border-radius: 0.25rem; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
#contents h2 a { padding: 0; }
#contents a:hover { color: var(--link); text-decoration: underline; }
#contents a[aria-current] { background: color-mix(in srgb, var(--link) 12%, transparent); color: var(--link); }
#contents .method { flex: 0 0 3rem; font-size: 0.64rem; padding: 0; background: none; text-align: left; }

main { width: 100%; max-width: 88rem; padding: 2.5rem clamp(1rem, 4vw, 4rem) 6rem; overflow-wrap: break-word; }
h1 { margin: 0; font-size: 2.25rem; line-height: 1.15; letter-spacing: -0.02em; }
h2 { margin: 0 0 0.5rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.01em; }
h3 { margin: 0 0 0.4rem; font-size: 1.15rem; line-height: 1.35; }
h4 { margin: 1.4rem 0 0.3rem; font-size: 0.8rem; letter-spacing: 0.04em; text-transform: uppercase; color: var(--soft); }
p, ul, dl { margin: 0.4rem 0 0.9rem; max-width: 46rem; }
li + li { margin-top: 0.4rem; }
dt { font-weight: 600; }
dd { margin: 0 0 1rem; }
.lead { font-size: 1.1rem; color: var(--soft); }
.guide, .group { padding-top: 2.5rem; margin-top: 2.5rem; border-top: 1px solid var(--line); }
.guide h3 { margin-top: 1.2rem; }
.operation, .schema { padding: 1.8rem 0 0.6rem; }
.operation + .operation, .schema + .schema { border-top: 1px solid var(--line); }
.self { visibility: hidden; color: var(--soft); font-weight: 400; text-decoration: none; }
h3:hover .self, .self:focus { visibility: visible; }
:target > h2, :target > h3, tr:target { background: linear-gradient(90deg, color-mix(in srgb, var(--link) 16%, transparent), transparent 60%); }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem; }
.words > h3:first-child { margin-top: 0.4rem; }
.endpoint { display: flex; gap: 0.6rem; align-items: baseline; max-width: none; font-size: 1.02rem; }
.endpoint code { overflow-wrap: anywhere; }
.step { padding: 1.2rem 0 0.4rem; }
.step + .step { border-top: 1px solid var(--line); }
.number { display: inline-grid; place-items: center; width: 1.6rem; height: 1.6rem; margin-right: 0.3rem; border-radius: 50%; background: var(--link); color: var(--paper); font-size: 0.9rem; }
.properties { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.3rem 1.5rem; margin-top: 1.2rem; }
.properties dt { color: var(--soft); font-weight: 400; }
.properties dd { margin: 0; overflow-wrap: anywhere; }
var { font-style: normal; font-size: 1em; color: var(--link); }
.method { padding: 0.1rem 0.45rem; border-radius: 0.25rem; font: 700 0.72rem/1.5 var(--mono); letter-spacing: 0.03em; color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent); }
.get { --tone: var(--get); } .post { --tone: var(--post); } .put { --tone: var(--put); } .patch { --tone: var(--patch); } .delete { --tone: var(--delete); }

.fields { width: 100%; border-collapse: collapse; font-size: 0.925rem; }
.fields th, .fields td { padding: 0.5rem 0; border-top: 1px solid var(--line); vertical-align: top; text-align: left; }
.fields th { width: 14.5rem; padding-right: 1rem; font-weight: 400; overflow-wrap: anywhere; }
.fields p { margin: 0.15rem 0 0; color: var(--soft); }
.fields .fields { margin-top: 0.4rem; }
.narrow th { width: 4rem; }
.conventions th:first-child { width: 11rem; }
.conventions td + td, .conventions th:last-child { padding-left: 1.5rem; color: var(--soft); }
thead th { color: var(--soft); font-size: 0.8rem; }
.optional { font-size: 0.75rem; color: var(--soft); }
.type, .bound { font-size: 0.875rem; }
.bound { color: var(--soft); }
.bound::before { content: ", "; }
.answers { list-style: none; padding: 0; }
.header { margin: 0.15rem 0 0; color: var(--soft); font-size: 0.9rem; }
.status { font: 600 0.82rem/1.6 var(--mono); color: var(--soft); }
.status.ok { color: var(--post); }
a.status { display: inline-block; padding: 0 0.35rem; border: 1px solid var(--line); border-radius: 0.25rem; text-decoration: none; }
a.status:hover { color: var(--link); border-color: var(--link); }

pre { margin: 0; overflow-x: auto; }
dd pre { margin: 0.5rem 0; padding: 0.6rem 0.8rem; border-radius: 0.35rem; background: var(--raised); }
.code { margin: 0 0 1rem; border-radius: 0.5rem; overflow: hidden; background: var(--code); color: var(--code-ink); border: 1px solid var(--line); }
.code code { font-size: 0.82rem; }
.code button { padding: 0.05rem 0.5rem; border: 1px solid color-mix(in srgb, var(--soft) 45%, transparent); border-radius: 0.25rem; background: none; color: var(--soft); font: inherit; cursor: pointer; }
.code button:hover { color: var(--code-ink); border-color: var(--soft); }
.code figcaption { display: flex; justify-content: space-between; align-items: center; padding: 0.45rem 0.9rem 0; font-size: 0.75rem; color: var(--soft); }
.code pre { padding: 0.4rem 0.9rem 0.8rem; }
.code pre:focus-visible { outline-offset: -2px; }
.k { color: var(--key); } .s { color: var(--string); } .v { color: var(--value); }

@media (max-width: 72rem) { .columns { grid-template-columns: minmax(0, 1fr); } .examples { margin-top: 1rem; } }
@media (max-width: 52rem) {
  html { scroll-padding-top: 4rem; }
  .reference { display: block; }
  .bar { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 0.8rem; padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); background: var(--paper); }
  .bar button { padding: 0.45rem 0.9rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--raised); color: inherit; font: inherit; }
  #contents:not(:popover-open) { display: none; }
  #contents { position: fixed; inset: 3.4rem 0 0 0; height: auto; max-height: none; border-right: 0; padding: 1rem; font-size: 1rem; }
  #contents::backdrop { background: color-mix(in srgb, var(--ink) 30%, transparent); }
  #contents a { padding: 0.5rem 0.4rem; }
  .find kbd { display: none; }
  main { padding-top: 1.5rem; }
  h1 { font-size: 1.8rem; }
  .fields, .fields tbody, .fields tr, .fields th, .fields td { display: block; width: auto; }
  .fields thead { display: none; }
  .fields th, .conventions th:first-child { width: auto; padding: 0.6rem 0 0; }
  .fields td { padding: 0.1rem 0 0.6rem; border-top: 0; }
  .conventions td + td { padding-left: 0; }
  .conventions th { font-weight: 600; }
  .fields .fields { padding-left: 0.8rem; border-left: 2px solid var(--line); }
}
@media print { #contents, .bar { display: none; } .reference { display: block; } .code pre { white-space: pre-wrap; } }
`;
