import type { Site } from './site.ts';

const lightPaper = '#ffffff';
const darkPaper = '#0e161b';

/** Returns the CSS custom properties of the site (colors, spacing, and fonts) for light and dark mode. */
export function tokensOf({ accent }: Pick<Site, 'accent'>): string {
  const light = `:root{--accent:${accent};--paper:${lightPaper};--link:${readableOn(lightPaper, accent)};${lightTokens}}`;
  const dark = `:root{--paper:${darkPaper};--link:${readableOn(darkPaper, accent)};${darkTokens}}`;
  return `${light}@media(prefers-color-scheme:dark){${dark}}${moreContrast(accent)}`;
}

/**
 * Returns the styles for readers who prefer more contrast (`prefers-contrast: more`): no soft text or faint lines, and
 * WCAG's enhanced contrast.
 */
function moreContrast(accent: string): string {
  const link = (paper: string) => `--link:${readableOn(paper, accent, enhancedContrastMin)};`;
  const light = `:root{${link(lightPaper)}--soft:var(--ink);--line:var(--ink);--edge:var(--ink);--danger:#7f1d18}`;
  const dark = `@media(prefers-color-scheme:dark){:root{${link(darkPaper)}--danger:#f7b3aa}}`;
  return `@media(prefers-contrast:more){${light}${dark}}`;
}

const shared = `--radius:.6rem;--gap:clamp(min(1rem,4vw),3vw,2rem);
--text:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--mono:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace`;

const lightTokens = `--raised:#f6f8f9;--ink:#14212a;--soft:#566773;--line:#dde4e8;--edge:#7c8b96;--danger:#a8322a;
--tint:color-mix(in oklab,var(--accent) 9%,var(--paper));--code:#f3f6f8;--code-ink:#14212a;${shared}`;

const darkTokens = `--raised:#152027;--ink:#dfe8ed;--soft:#9bafba;--line:#27363f;--edge:#64798a;--danger:#f08a7d;
--tint:color-mix(in oklab,var(--accent) 22%,var(--paper));--code:#0a1115;--code-ink:#d5e2e8`;

type Rgb = readonly [number, number, number];

/**
 * Minimum contrast of text of any size. WCAG 2.2 (success criterion 1.4.3) requires 4.5. The difference is a margin for
 * tinted backgrounds.
 */
const contrastMin = 5;
/**
 * Minimum contrast for readers who prefer more contrast. WCAG 2.2 (success criterion 1.4.6) requires 7. The difference
 * is a margin.
 */
const enhancedContrastMin = 7.5;

/** Returns the color, mixed with just enough black or white to be readable on the background. Colors are `#rrggbb`. */
export function readableOn(background: string, colour: string, min = contrastMin): string {
  const target = luminance(parse(background)) > 0.18 ? 0 : 255;
  const from = parse(colour);
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = from.map((part) => Math.round(part + (target - part) * share)) as unknown as Rgb;
    if (contrast(mixed, parse(background)) >= min) return format(mixed);
  }
  return target === 0 ? '#000000' : '#ffffff';
}

export function contrastOf(one: string, other: string): number {
  return contrast(parse(one), parse(other));
}

function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parse(colour: string): Rgb {
  const part = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function format(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
