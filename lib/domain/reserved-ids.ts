import { ServiceError } from './errors.ts';

function because(reason: string, ...ids: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}

const urls = 'it is part of a URL of this site';
const automaticHost = 'software looks up a host of this name by itself';
const operators = 'it could be mistaken for the operators of this site';
const product = 'it could be mistaken for the software of this site';
const signIn = 'it could be mistaken for a sign-in page';
const provider = 'it could be mistaken for a provider that this site trusts';

/** IDs that no account or data connection can have. An account ID is also a host name (`<id>.<data host>`). */
const unavailable = {
  ...because(urls, 'admin', 'api', 'available', 'data', 'docs', 'health', 'login', 'logout'),
  ...because(urls, 'repositories', 'settings', 'static', 'www'),
  ...because(automaticHost, 'autoconfig', 'autodiscover', 'isatap', 'localhost', 'wpad'),
};

/** IDs that look like an account of the platform's operator. Only administrators can create accounts with them. */
const forAdministrators = {
  ...because(operators, 'abuse', 'administrator', 'billing', 'help', 'hostmaster', 'moderator', 'no-reply', 'noreply'),
  ...because(operators, 'official', 'operator', 'postmaster', 'privacy', 'root', 'security', 'staff', 'status'),
  ...because(operators, 'support', 'sysadmin', 'system', 'webmaster'),
  ...because(product, 'console', 'sluice'),
  ...because(signIn, 'account', 'accounts', 'oauth', 'password', 'sign-in', 'sign-up', 'signin', 'signup', 'sso'),
  ...because(signIn, 'verify'),
  ...because(provider, 'amazon', 'aws', 'github', 'gitlab'),
};

export const reservedIds = { unavailable, forAdministrators };

/** Throws `id_reserved` if the caller cannot use the ID. `path` is the field that contains it. */
export function requireUnreservedId(id: string, path: string, { isAdmin }: { isAdmin: boolean }): void {
  const never = reasonIn(unavailable, id);
  const reason = never ?? (isAdmin ? undefined : reasonIn(forAdministrators, id));
  if (reason === undefined) return;
  const next = never === undefined ? 'choose another, or ask an administrator to create it' : 'choose another';
  const message = `is reserved, since ${reason}; ${next}`;
  throw new ServiceError('id_reserved', `The ID ${id} ${message}`, { faults: [{ path, message }] });
}

function reasonIn(list: Readonly<Record<string, string>>, id: string): string | undefined {
  return Object.hasOwn(list, id) ? list[id] : undefined;
}
