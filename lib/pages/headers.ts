import { createHash } from 'node:crypto';

/**
 * Of a page that loads nothing, runs nothing and is framed by nobody; its one stylesheet goes by its hash.
 *
 * @param formTargets where its forms may lead, redirects included; nowhere by default
 */
export function pageHeaders(stylesheet: string, formTargets: readonly string[] = ["'none'"]): Record<string, string> {
  const hash = createHash('sha256').update(stylesheet).digest('base64');
  return {
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action ${formTargets.join(' ')}; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}
