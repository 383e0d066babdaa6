/** Style rules of the console's views of service accounts and keys in addition to its other rules. */
export const machinesRules = `
.machine-id{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:0 0 .35rem}.machine-id h3{margin:0;font-size:1.4rem;overflow-wrap:anywhere}
.badge{display:inline-block;border:1px solid var(--line);border-radius:1rem;padding:.02rem .6rem;font-size:.8rem;font-weight:550;color:var(--soft);white-space:nowrap}
.badge.live{border-color:var(--link);color:var(--link)}.badge.over{border-color:var(--danger);color:var(--danger)}
.refused{border:1px solid var(--danger);border-radius:var(--radius);padding:1.1rem 1.2rem;margin:0 0 1.5rem}.refused h3{margin-bottom:.6rem}
.refused dl{margin:0 0 1rem;display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.55rem 1.2rem}
.refused dt{color:var(--soft);font-size:.9rem}.refused dd{margin:0;overflow-wrap:anywhere}.refused .actions{margin:0}
.refused code mark{background:color-mix(in oklab,var(--danger) 24%,var(--paper));color:inherit;border-radius:.2rem;padding:.05em .1em;font-weight:650}
.subject{border:1px solid var(--line);border-radius:var(--radius);background:var(--raised);padding:.75rem 1rem;margin:0 0 1.15rem}
.subject p{margin:0}.subject .soft{font-size:.87rem}.subject code{display:block;margin:.25rem 0;overflow-wrap:anywhere;background:none;padding:0;font-size:.95rem}
.recipe h4{margin:1rem 0 .3rem;font-size:.92rem}.recipe .place{display:flex;gap:.5rem 1rem;justify-content:space-between;align-items:baseline;flex-wrap:wrap;margin:.9rem 0 .3rem}
.recipe .place p{margin:0;font-size:.9rem;color:var(--soft);overflow-wrap:anywhere;flex:1 1 8rem}.recipe pre{margin:0 0 .4rem;max-height:22rem}.recipe ul{padding-left:1.2rem;font-size:.92rem;color:var(--soft)}
.card>h4{margin-bottom:.8rem}.replace{counter-reset:step;list-style:none;padding:0;margin:0 0 1rem}.replace>li{counter-increment:step;padding:0 0 .9rem 2.4rem;position:relative}
.replace>li::before{content:counter(step);position:absolute;left:0;top:.05rem;width:1.6rem;height:1.6rem;border-radius:50%;background:var(--tint);text-align:center;font-size:.9rem;line-height:1.6rem;font-weight:600}
.replace>li>h4{margin:0 0 .3rem;font-size:1rem}.replace .form{margin-top:.5rem}
.table td .row-actions{display:flex;flex-wrap:wrap;gap:.35rem}.table td code{font-size:.82rem;overflow-wrap:anywhere}
dialog.wide{width:min(52rem,calc(100vw - min(2rem,5vw)))}
section.block>h3+.soft{max-width:46rem}
.recipe>.field{max-width:38rem}
@media(max-width:34rem){.refused dl{grid-template-columns:minmax(0,1fr);gap:.1rem}.refused dd+dt{margin-top:.6rem}}
`;
