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

/** The texts that address an item with trusted workflows, below the issuer and the service account. */
export type MatchKey = readonly string[];

/** The keys under which a workload can be trusted: by the name or subject, and by the IDs of its repository. */
export interface MatchKeys {
  name: MatchKey;
  ids?: MatchKey;
}

/** Returns the keys of a workload. A subject that nobody can trust gets the key of its text, which has no item. */
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
 * Compares a workload with a trusted workflow that has one of its keys. `pin` means that the workload may sign in once
 * its IDs are pinned. The issuer's IDs are never reused, so that a rename keeps access and a transfer ends it.
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

/** A condition of a trust that a workload does not meet. `came` is undefined if the token lacks the claim. */
export interface FailedCondition {
  name: string;
  came: string | undefined;
  trusted: string;
}

/** Returns the first condition that the workload does not meet, apart from the subject and the IDs. */
export function failedCondition({ claims }: Pick<Workload, 'claims'>, trust: Trust): FailedCondition | undefined {
  const provider = ciProvider(trust);
  if (provider.identifiedBy === 'subject') {
    const failed = Object.entries(trust.claims ?? {}).find(([name, value]) => claims.get(name) !== value);
    return failed && { name: failed[0], came: claims.get(failed[0]), trusted: failed[1] };
  }
  // GitHub escapes a colon in the environment's name but not a literal "%3A", so two environments can share a subject.
  // Anyone with push access could create such an unprotected environment.
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

/** Returns the value of a token for an optional condition: the text of the claim, without its ref where it has one. */
function pinnedValue(
  provider: RepositoryProvider,
  name: (typeof pinNames)[number],
  claims: ReadonlyMap<string, string>,
): string | undefined {
  const pin = provider.pins[name];
  const value = pin && claims.get(pin.claim);
  return pin?.withoutRef && value?.includes('@') ? value.slice(0, value.lastIndexOf('@')) : value;
}
