import type { Site } from '../../domain/site.ts';
import { tokensOf } from '../../domain/site-tokens.ts';
import { avatarRules } from './avatar.tsx';

/**
 * Returns the stylesheet of the site, with CSS variables for light and dark colors. It is inline, so that a page needs
 * no second response.
 */
export function stylesheetOf(site: Pick<Site, 'accent'>): string {
  return `${frameStylesheetOf(site)}${rules}${avatarRules}`;
}

/** Returns the part of the stylesheet for header, footer, and links. It is for a page with a design of its own. */
export function frameStylesheetOf(site: Pick<Site, 'accent'>): string {
  return tokensOf(site) + frameRules;
}

/** Style rules that only pages with the page script need. */
export const publicRules = `
form:has([name=q]){position:relative}
.suggestions{min-width:16rem;max-width:calc(100vw - 2*var(--gap));margin:0;list-style:none;right:auto}.suggestions[hidden]{display:none}.suggestions li{display:flex;flex-direction:column;padding:.35rem 1rem;line-height:1.35;cursor:pointer;overflow-wrap:anywhere}.suggestions .soft{font-size:.87rem}.suggestions :is(li:hover,[aria-selected=true]){background:var(--tint)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(forced-colors:active){.suggestions [aria-selected=true]{outline:2px solid Highlight;outline-offset:-2px}}
`;

const frameRules = `
*{box-sizing:border-box}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.18em}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:.15rem}
code,pre{font-family:var(--mono);font-size:.875em}
.skip{position:absolute;left:-100vw}.skip:focus{left:1rem;top:1rem;z-index:2;background:var(--paper);padding:.5rem 1rem}
header.site{border-bottom:1px solid var(--line);background:var(--paper)}
.inner{max-width:76rem;margin:0 auto;padding:.75rem var(--gap);display:flex;gap:.75rem 1.5rem;align-items:center;flex-wrap:wrap}
.brand{display:inline-flex;gap:.55rem;align-items:center;font-weight:650;font-size:1.1rem;color:inherit;text-decoration:none;letter-spacing:-.01em}
.logo{height:1.75rem;width:auto;max-width:12rem;object-fit:contain}.mark{fill:none;stroke:currentColor;stroke-width:1.9;stroke-linecap:round}.mark .water{stroke:var(--link)}
form[role=search]{flex:1 1 16rem;max-width:30rem;display:flex;gap:.6rem}
header.site nav[aria-label=Site]{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin-left:auto}header.site nav[aria-label=Site] a{color:inherit;text-decoration:none}header.site nav a:hover{text-decoration:underline}
.account{display:flex;justify-content:flex-end;align-items:center;min-width:5rem;height:2.4rem}.account .button{padding:.3rem .8rem;white-space:nowrap}
.button{display:inline-block;background:var(--link);color:var(--paper);text-decoration:none;font-weight:600;border-radius:.45rem;padding:.5rem 1.1rem}
.button:hover{filter:brightness(1.1)}
.button.second{background:var(--paper);color:var(--link);box-shadow:inset 0 0 0 1px var(--edge)}
footer.site{border-top:1px solid var(--line);color:var(--soft);font-size:.9rem}footer.site p{margin:0}footer.site p:last-child{margin-left:auto;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
footer a{color:inherit}
@media(max-width:34rem){form[role=search]{order:3;flex-basis:100%;max-width:none}.inner{padding-block:.6rem;row-gap:.5rem}header.site nav[aria-label=Site]{display:none}.account{margin-left:auto}footer.site p:last-child{margin-left:0}}
@media(forced-colors:active){.button{border:1px solid}.mark,.mark .water{stroke:CanvasText}}
@media print{header.site,footer.site{display:none}}
`;

const rules = `
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:var(--text);min-height:100vh;display:flex;flex-direction:column;overflow-wrap:break-word}
main{flex:1;width:100%;max-width:76rem;margin:0 auto;padding:var(--gap)}
h1,h2,h3,h4{line-height:1.22;letter-spacing:-.012em;margin:0 0 .5rem;text-wrap:balance}
h1{font-size:clamp(1.6rem,4.4vw,2.3rem)}h1.long{font-size:clamp(1.15rem,2.8vw,1.5rem)}h2{font-size:1.2rem}h3{font-size:1.05rem}
p,ul,ol,dl,pre,table{margin:0 0 1rem}p,li,dd{text-wrap:pretty}h1,h3,.crumbs,.tile .foot,.tags,.byline{overflow-wrap:anywhere}
button.button{border:0;font:inherit;font-weight:600;cursor:pointer}
input[type=search]{width:100%;font:inherit;color:inherit;background:var(--raised);border:1px solid var(--line);border-radius:2rem;padding:.4rem 1rem}
input[type=search]::placeholder{color:var(--soft);opacity:1}
.account-menu{position:relative}.account-menu>button{display:flex;gap:.3rem;align-items:center;border:0;background:none;color:inherit;padding:.2rem;border-radius:2rem;cursor:pointer}
.account-menu .avatar:not([data-initials]){background:var(--line)}.caret{width:.75rem;height:.75rem;fill:none;stroke:var(--soft);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}.account-menu>button:hover .caret{stroke:currentColor}
.menu{position:absolute;right:0;top:calc(100% + .4rem);z-index:4;width:max-content;min-width:14rem;max-width:min(20rem,calc(100vw - 2rem));max-height:calc(100dvh - 5rem);overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:var(--radius);box-shadow:0 .6rem 2rem rgb(5 12 16/.22);padding:.4rem 0;font-size:.95rem}
.menu>p{display:flex;flex-direction:column;margin:0;padding:.4rem 1rem .6rem;line-height:1.35;overflow-wrap:anywhere}.menu>p span{color:var(--soft);font-size:.87rem}
.menu h2{font-size:.8rem;font-weight:550;color:var(--soft);letter-spacing:0;margin:0;padding:.5rem 1rem .1rem;border-top:1px solid var(--line)}.menu ul{list-style:none;margin:0;padding:.35rem 0}.menu p+ul,.menu ul+ul{border-top:1px solid var(--line)}
.menu a,.menu button{display:flex;gap:.6rem;align-items:center;width:100%;padding:.35rem 1rem;border:0;background:none;color:inherit;font:inherit;text-align:left;text-decoration:none;cursor:pointer}.menu a span:last-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.menu a:hover,.menu button:hover{background:var(--tint);text-decoration:none!important}.menu :focus-visible{outline-offset:-2px}
.hero{padding:clamp(1rem,4vw,2.75rem) 0 clamp(1rem,3vw,2rem);max-width:46rem}
.hero h1{font-size:clamp(2rem,6vw,3.2rem)}.hero p{font-size:1.15rem;color:var(--soft);max-width:38rem}
.hero .hint{font-size:.95rem;margin-top:.75rem}
.crumbs,.byline{--mark:"·";--space:1.3rem;display:flex;flex-wrap:wrap;gap:.15rem 0;color:var(--soft);padding:0;margin:0 0 .9rem calc(-1*var(--space));clip-path:inset(-4px -4px -4px calc(var(--space) - 4px));list-style:none}
.crumbs{--mark:"/";--space:1.05rem;font-size:.95rem;margin-bottom:.5rem}
.crumbs>*,.byline>*{position:relative;padding-left:var(--space)}.crumbs>*::before,.byline>*::before{content:var(--mark);position:absolute;left:0;width:var(--space);text-align:center}
.crumbs li{max-width:min(100%,26rem);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.crumbs :focus-visible{outline-offset:-2px}
.lead{font-size:1.08rem;color:var(--soft);max-width:48rem;white-space:pre-line}
.soft{color:var(--soft)}
.grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));list-style:none;padding:0;margin:0 0 1.5rem}
.tile{position:relative;display:flex;flex-direction:column;gap:.4rem;height:100%;padding:1.1rem 1.2rem;border:1px solid var(--line);border-radius:var(--radius);background:var(--paper)}
.tile:hover{border-color:var(--link)}
.tile h3{margin:0;display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}.tile h3 a{color:inherit;text-decoration:none}.tile h3 a::after{content:"";position:absolute;inset:0;border-radius:var(--radius)}
.tile p{margin:0;color:var(--soft);display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden;font-size:.95rem}
.tile .foot{margin-top:auto;padding-top:.5rem;font-size:.85rem;color:var(--soft);display:flex;flex-wrap:wrap;gap:.1rem .9rem}.tile .name{flex-basis:100%}
.tags{list-style:none;display:flex;flex-wrap:wrap;gap:.4rem;padding:0;margin:0 0 1rem}
.tags li{background:var(--tint);border-radius:1rem;padding:.1rem .7rem;font-size:.87rem}.tags a{color:inherit;text-decoration:none}
.columns{display:grid;grid-template-columns:minmax(0,1fr) 19rem;gap:2.5rem;align-items:start;margin-top:1.5rem}
.properties{margin:0;font-size:.95rem}.properties dt{color:var(--soft);font-size:.85rem;margin-top:.75rem}.properties dd{margin:0;overflow-wrap:anywhere}.properties code{font-size:.8rem;padding:0;background:none}
.card{border:1px solid var(--line);border-radius:var(--radius);padding:1.1rem 1.2rem;margin-bottom:1.25rem}.card>:last-child{margin-bottom:0}
.card h2{font-size:1rem}
.files{width:100%;border-collapse:collapse;border:1px solid var(--line);border-radius:var(--radius);border-spacing:0;font-size:.95rem}
.files th{font-weight:500;text-align:left;color:var(--soft);font-size:.85rem;background:var(--raised)}
.files th,.files td{padding:.5rem .9rem;border-bottom:1px solid var(--line);vertical-align:top}
.files tr:last-child td{border-bottom:0}.files td:first-child{overflow-wrap:anywhere}
.files a{text-decoration:none}.files a:hover{text-decoration:underline}
.files .number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}
.icon{width:1.05em;height:1.05em;vertical-align:-.16em;margin-right:.55rem;fill:none;stroke:var(--soft);stroke-width:1.6;stroke-linejoin:round;flex:none}
.folder .icon{fill:var(--tint);stroke:var(--link)}
.files th[scope=row]{background:none;font-size:.95rem}.counts{max-width:30rem;margin-bottom:2rem}
.versions{max-width:40rem;margin:0 0 1.25rem}.versions ul{max-height:16rem;overflow:auto;padding-left:1.2rem}.versions [aria-current]{font-weight:650}.lines{white-space:pre-line}.selected{user-select:all}
.pager{display:flex;gap:1.25rem;margin:0 0 1.5rem}
.notice{border-left:3px solid var(--link);background:var(--raised);padding:.8rem 1.1rem;border-radius:0 var(--radius) var(--radius) 0;margin:0 0 1.25rem}
.prose{max-width:50rem}.prose h2,.prose h3,.prose h4{margin-top:1.6em}.prose img{max-width:100%;height:auto}
.prose table{border-collapse:collapse;display:block;overflow-x:auto;max-width:100%}.prose th,.prose td{border:1px solid var(--line);padding:.35rem .7rem;text-align:left}
.prose td code{white-space:nowrap}.prose blockquote{margin:0 0 1rem;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
pre{background:var(--code);color:var(--code-ink);border:1px solid var(--line);border-radius:var(--radius);padding:.85rem 1rem;overflow-x:auto;line-height:1.5}
.commands{white-space:pre-wrap;overflow-wrap:anywhere}
:not(pre)>code{background:var(--code);border-radius:.25rem;padding:.1em .3em;overflow-wrap:anywhere}
details{border:1px solid var(--line);border-radius:var(--radius);margin-bottom:.6rem}details[open]{padding-bottom:.1rem}
summary{cursor:pointer;padding:.55rem 1rem;font-weight:550}details>:not(summary,dialog){margin-left:1rem;margin-right:1rem}
.filters{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:end;margin:0 0 1.75rem}
.filters label{display:flex;flex-direction:column;gap:.2rem;font-size:.85rem;color:var(--soft);flex:1 1 7rem}.filters .words{flex:1 1 calc(100% - 9rem)}
.filters input,.filters select{width:100%;font:inherit;font-size:1rem;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:.45rem;padding:.4rem .7rem;height:2.5rem}
.filters button{height:2.5rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center;margin:0 0 1.5rem}
.scroll{overflow:auto;max-height:34rem;border:1px solid var(--line);border-radius:var(--radius);margin-bottom:.75rem}
.scroll>pre{margin:0;border:0;min-width:max-content}.scroll>pre.wrapped{min-width:0;white-space:pre-wrap;overflow-wrap:anywhere}
.rows{border-collapse:collapse;font-size:.88rem;margin:0;min-width:100%}.rows th,.rows td{padding:.35rem .75rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap;max-width:28rem;overflow:hidden;text-overflow:ellipsis}
.rows th{position:sticky;top:0;background:var(--raised)}.rows .number{text-align:right;font-variant-numeric:tabular-nums}
.preview-image{max-width:100%;max-height:36rem;border:1px solid var(--line);border-radius:var(--radius);background:repeating-conic-gradient(var(--raised) 0 25%,transparent 0 50%) 0 0/1.25rem 1.25rem}
.title,.where{display:flex;gap:1rem;align-items:center;margin:0 0 .5rem}.title h1{margin:0;min-width:0}.where{align-items:flex-start}.where nav{flex:1;min-width:0}.manage{margin-left:auto;flex:none;display:inline-flex;gap:.45rem;align-items:center;padding:.3rem .8rem}.manage[hidden]{visibility:hidden}.manage svg{width:1.1rem;height:1.1rem;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round}
.where .manage{margin-top:-.3rem;margin-bottom:-.5rem}
section.block{margin-top:2.25rem}section.block>h2{margin-bottom:.75rem}.hero+.block{margin-top:0}.more{margin-top:1.5rem}
@media(max-width:60rem){.columns{grid-template-columns:minmax(0,1fr);gap:1.25rem}}
@media(max-width:34rem){.files .when{display:none}.files th,.files td{padding-inline:min(.9rem,3vw)}.files .number{white-space:normal}.manage{padding:.4rem .55rem}.manage span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}}
@media(prefers-reduced-motion:no-preference){.tile{transition:border-color .12s}}
@media(forced-colors:active){.avatar,.menu,.account-menu>button,button.button,.tags li{border:1px solid}.icon,.folder .icon{stroke:CanvasText;fill:none}}
@media print{.manage,.pager,.actions,details.preview,.preview-frame{display:none}main{max-width:none;padding:0}.columns{display:block}
details{border:0}summary{list-style:none;padding-left:0}details>:not(summary){margin-left:0;margin-right:0}details::details-content{display:block;content-visibility:visible}
pre,.scroll>pre{white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}.scroll{max-height:none;overflow:hidden}.rows th,.rows td{white-space:normal}.rows th{position:static}.tile,.card,tr,img,pre{break-inside:avoid}h2,h3{break-after:avoid}}
`;
