import { createHash } from 'node:crypto';

export interface PagePolicy {
  stylesheet: string;
  /** The only script of the page. */
  script?: string | undefined;
  /** Allowed targets of forms, redirects included. The default allows none. */
  formTargets?: readonly string[] | undefined;
}

/**
 * Returns the headers of a page that loads nothing, sends nothing, and cannot be framed. The policy admits its
 * stylesheet and script by hash.
 */
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
