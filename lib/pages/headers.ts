import { createHash } from 'node:crypto';

export interface PagePolicy {
  stylesheet: string;
  /** The one script, if the page has one. */
  script?: string | undefined;
  /** Where its forms may lead, redirects included; nowhere by default. */
  formTargets?: readonly string[] | undefined;
}

/** Of a page that loads nothing, sends nothing and is framed by nobody; its stylesheet and its script go by their hashes. */
export function pageHeaders({ stylesheet, script, formTargets = ["'none'"] }: PagePolicy): Record<string, string> {
  const scripts = script === undefined ? '' : ` script-src '${hashOf(script)}';`;
  return {
    'content-security-policy': `default-src 'none';${scripts} style-src '${hashOf(stylesheet)}'; base-uri 'none'; form-action ${formTargets.join(' ')}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
