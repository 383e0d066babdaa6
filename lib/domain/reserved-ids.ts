import { ServiceError } from './errors.ts';

const urls = 'it is part of a URL of this site';
const automaticHost = 'software looks up a host of this name by itself';
const operators = 'it could be mistaken for the people who run this site';
const product = 'it could be mistaken for the software of this site';
const signIn = 'it could be mistaken for a page to sign in on';
const provider = 'it could be mistaken for a provider that this site trusts';

/** Account and data connection IDs that are never available. An account ID is also a host name (`<id>.<data host>`). */
const unavailable: Readonly<Record<string, string>> = {
  admin: urls,
  api: urls,
  available: urls,
  data: urls,
  docs: urls,
  health: urls,
  login: urls,
  logout: urls,
  repositories: urls,
  settings: urls,
  static: urls,
  www: urls,
  autoconfig: automaticHost,
  autodiscover: automaticHost,
  isatap: automaticHost,
  localhost: automaticHost,
  wpad: automaticHost,
};

/** IDs that would mislead unless the operator uses them. Only administrators create accounts with them. */
const forAdministrators: Readonly<Record<string, string>> = {
  abuse: operators,
  administrator: operators,
  billing: operators,
  help: operators,
  hostmaster: operators,
  moderator: operators,
  'no-reply': operators,
  noreply: operators,
  official: operators,
  operator: operators,
  postmaster: operators,
  privacy: operators,
  root: operators,
  security: operators,
  staff: operators,
  status: operators,
  support: operators,
  sysadmin: operators,
  system: operators,
  webmaster: operators,
  console: product,
  sluice: product,
  account: signIn,
  accounts: signIn,
  oauth: signIn,
  password: signIn,
  'sign-in': signIn,
  'sign-up': signIn,
  signin: signIn,
  signup: signIn,
  sso: signIn,
  verify: signIn,
  amazon: provider,
  aws: provider,
  github: provider,
  gitlab: provider,
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
