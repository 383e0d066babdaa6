const label = 'downloads/month';
const labelWidth = 112;
const characterWidth = 7.5;

/** Returns a badge: an SVG image with the number of downloads. */
export function usageBadge(downloads: number): string {
  const number = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(downloads);
  const numberWidth = Math.ceil(number.length * characterWidth) + 14;
  const width = labelWidth + numberWidth;
  const text = (x: number, value: string) => `<text x="${x}" y="14" text-anchor="middle">${value}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${number}">`,
    `<title>${label}: ${number}</title>`,
    `<rect width="${width}" height="20" rx="3" fill="#3b4750"/>`,
    `<path d="M${labelWidth} 0h${numberWidth - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${labelWidth}z" fill="#0b6b81"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    text(labelWidth / 2, label),
    text(labelWidth + numberWidth / 2, number),
    '</g></svg>',
  ].join('');
}
