import type { InputFault } from '../errors.ts';
import { utf8Bytes } from '../utf8-bytes.ts';
import { type CiProvider, originKinds, type TrustedOrigin } from './provider.ts';
import { type CiProviderKind, ciProvider } from './providers.ts';

export type TrustedSubject = { ok: true; subject: string; subject_key: string } | { ok: false; fault: InputFault };

/** Longer subjects cannot be trusted. The table stores subjects in a key of at most 1,024 bytes. */
export const subjectBytesMax = 700;

const environmentLengthMax = 255;

/** Returns the exact subject of tokens for this origin, and its key for comparison. */
export function trustedSubject(issuer: { kind: CiProviderKind }, origin: TrustedOrigin): TrustedSubject {
  const provider = ciProvider(issuer);
  const fault = repositoryFault(provider, origin.repository) ?? originFault(provider, origin);
  if (fault !== undefined) return { ok: false, fault };
  const subject = provider.subject(origin);
  if (utf8Bytes(subject) > subjectBytesMax) {
    const message = `is too long: repository and name together may take ${subjectBytesMax} bytes`;
    return { ok: false, fault: { path: '', message } };
  }
  return { ok: true, subject, subject_key: provider.subjectKey(subject) };
}

function repositoryFault(provider: CiProvider, repository: string): InputFault | undefined {
  if (/[*?]/.test(repository)) return { path: 'repository', message: wildcardMessage };
  if (/\.git$/i.test(repository)) return { path: 'repository', message: 'must be given without ".git"' };
  const message = provider.repositoryFault(repository);
  return message === undefined ? undefined : { path: 'repository', message };
}

const nameFaults = { branch: refNameFault, tag: refNameFault, environment: environmentFault } as const;

function originFault(provider: CiProvider, origin: TrustedOrigin): InputFault | undefined {
  const [kind, ...others] = originKinds.filter((candidate) => origin[candidate] !== undefined);
  if (kind === undefined || others.length > 0)
    return { path: '', message: 'must name exactly one of branch, tag and environment' };
  if (!provider.origins.includes(kind)) {
    const instead = provider.origins.map((known) => `a ${known}`).join(' or ');
    return { path: kind, message: `is not part of this issuer's subjects; trust ${instead} instead` };
  }
  const name = origin[kind] ?? '';
  if (name === '') return { path: kind, message: 'must not be empty' };
  if (name.includes('*')) return { path: kind, message: wildcardMessage };
  const message = nameFaults[kind](name);
  return message === undefined ? undefined : { path: kind, message };
}

const wildcardMessage =
  'must be one whole name: wildcards are not supported; trust each further one with a workflow of its own';

function environmentFault(environment: string): string | undefined {
  // Invisible characters and lone surrogates would hide the real name from a reader.
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(environment) || !environment.isWellFormed())
    return 'must not hold control characters or broken Unicode';
  if (environment.trim() !== environment) return 'must not start or end with white space';
  if (environment.length > environmentLengthMax) return `must be at most ${environmentLengthMax} characters`;
  return undefined;
}

const nameBytesMax = 255;

/** Returns a message if git does not allow this short name of a branch or tag (`git check-ref-format --branch`). */
function refNameFault(name: string): string | undefined {
  if (name.startsWith('refs/')) return 'must be the short name, without "refs/heads/" or "refs/tags/"';
  if (!name.isWellFormed()) return 'must not hold broken Unicode';
  if (utf8Bytes(name) > nameBytesMax) return `must be at most ${nameBytesMax} bytes`;
  return rules.find(([breaks]) => breaks.test(name))?.[1];
}

const rules: readonly (readonly [RegExp, string])[] = [
  // Git forbids only the ASCII characters of this kind. The others would make two names look alike.
  [/[\p{Z}\p{Cc}\p{Cf}]/u, 'must not hold spaces, control characters or others that cannot be seen'],
  [/[~^:?*[\\]/, 'must not hold "~", "^", ":", "?", "*", "[" or "\\"'],
  [/\.\.|@\{|^@$/, 'must not be "@" or hold ".." or "@{"'],
  [/^\/|\/$|\/\//, 'must not start or end with "/" or hold "//"'],
  [/^-/, 'must not start with "-"'],
  [/(?:^|\/)\.|\.$/, 'must not start a part with "." or end with "."'],
  [/\.lock(?:\/|$)/, 'must not end a part with ".lock"'],
];
