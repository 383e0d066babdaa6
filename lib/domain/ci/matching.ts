import type { TrustedWorkflowRecord } from '../service-accounts/trusted-workflows.ts';
import {
  type CiProvider,
  foldAscii,
  isSameName,
  pinNames,
  type RepositoryProvider,
  type SubjectParts,
} from './provider.ts';
import { ciProvider } from './providers.ts';
import type { Workload } from './workload.ts';

/**
 * The texts in the key of a stored item with trusted workflows. The complete key also contains the issuer and the
 * service account.
 */
export type MatchKey = readonly string[];

/**
 * The keys under which the trusted workflows of a workload can be stored. `name` comes from the repository's name or
 * the subject, and `ids` from the repository's IDs.
 */
export interface MatchKeys {
  name: MatchKey;
  ids?: MatchKey;
}

/**
 * Returns the keys under which the trusted workflows of a workload are stored. If no trusted workflow can have the
 * workload's subject, the key is the text of the subject, and no item has this key.
 */
export function matchKeysOf(
  provider: CiProvider,
  { subject, parts, ids }: Pick<Workload, 'subject' | 'parts' | 'ids'>,
): MatchKeys {
  if (provider.identifiedBy === 'subject' || !isTrustable(provider, parts)) return { name: ['subject', subject] };
  const origin = provider.originKey(parts);
  return {
    name: ['name', foldAscii(parts.repository), origin],
    ...(ids === undefined ? {} : { ids: ['ids', ids.repository_owner_id, ids.repository_id, origin] }),
  };
}

function isTrustable(provider: RepositoryProvider, parts: SubjectParts | undefined): parts is SubjectParts {
  if (parts === undefined || !provider.origins.some((origin) => origin === parts.origin)) return false;
  return (parts.ids.repository_id === undefined) === (parts.ids.repository_owner_id === undefined);
}

type Trust = Pick<TrustedWorkflowRecord, 'kind' | 'environment' | 'claims' | 'pinned' | (typeof pinNames)[number]>;

/**
 * Compares a workload with a trusted workflow that has one of its keys. `pin` means that the workload may sign in after
 * the service has stored its numeric IDs in the trusted workflow. CI systems never reuse these IDs, so a renamed
 * repository keeps access and a transferred one loses it.
 */
export function compareWithTrust(workload: Workload, trust: Trust): 'refuse' | 'allow' | 'pin' {
  if (workload.fault !== null || failedCondition(workload, trust) !== undefined) return 'refuse';
  const { pinned } = trust;
  if (pinned === null) return workload.ids === undefined ? 'allow' : 'pin';
  const isSame =
    workload.ids?.repository_id === pinned.repository_id &&
    workload.ids.repository_owner_id === pinned.repository_owner_id;
  return isSame ? 'allow' : 'refuse';
}

/**
 * A condition of a trusted workflow that a workload does not meet. `came` is the token's value, or undefined if the
 * token lacks the claim.
 */
export interface FailedCondition {
  name: string;
  came: string | undefined;
  trusted: string;
}

/**
 * Returns the first condition that the workload does not meet. This function does not compare the subject and the IDs.
 */
export function failedCondition({ claims }: Pick<Workload, 'claims'>, trust: Trust): FailedCondition | undefined {
  const provider = ciProvider(trust);
  if (provider.identifiedBy === 'subject') {
    const failed = Object.entries(trust.claims ?? {}).find(([name, value]) => claims.get(name) !== value);
    return failed && { name: failed[0], came: claims.get(failed[0]), trusted: failed[1] };
  }
  // Compare the claim as well, because two environments can share a subject: GitHub escapes a colon in the name, but
  // not a literal "%3A". Anyone with push access could create an unprotected environment with the second name.
  const environment = claims.get(provider.claims.environment);
  if (trust.environment !== undefined && environment !== undefined && !isSameName(environment, trust.environment))
    return { name: 'environment', came: environment, trusted: trust.environment };
  for (const name of pinNames) {
    const trusted = trust[name];
    if (trusted === undefined) continue;
    const came = pinnedValue(provider, name, claims);
    if (came !== trusted) return { name, came, trusted };
  }
  return undefined;
}

/**
 * Returns the token's value for an optional condition. If the condition ignores the git reference, removes the `@ref`
 * at the end of the claim.
 */
function pinnedValue(
  provider: RepositoryProvider,
  name: (typeof pinNames)[number],
  claims: ReadonlyMap<string, string>,
): string | undefined {
  const pin = provider.pins[name];
  const value = pin && claims.get(pin.claim);
  return pin?.withoutRef && value?.includes('@') ? value.slice(0, value.lastIndexOf('@')) : value;
}
