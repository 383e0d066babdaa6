import { isLoopbackUrl } from '../../../lib/pages/site/machines/subject.ts';
import { type StoragePreset, storagePresets } from '../../../lib/pages/site/storage-presets.ts';
import type { Schemas } from '../api/client.ts';

type Details = Pick<Schemas['DataConnectionDetails'], 'endpoint' | 'region'>;

/** A store on the same machine as the service. The service can use roles of its AWS emulator there. */
const localPreset: StoragePreset = {
  id: 'local',
  name: 'Store of this machine',
  endpoint: '',
  regionHint: 'us-east-1, unless the store has another.',
  tested: 'directly',
  differences: [],
  sources: [],
};

/** The preset for a store that is not among the known providers. */
const otherPreset: StoragePreset = {
  id: 'other',
  name: 'Another S3-compatible store',
  endpoint: '',
  regionHint: 'The name that the store uses, such as auto.',
  tested: 'no',
  differences: [],
  sources: [],
};

const allPresets = [...storagePresets, otherPreset, localPreset];

/**
 * The kinds of storage that the console offers. The local store is offered only if the site runs on the user's own
 * machine.
 */
export function offeredPresets(): readonly StoragePreset[] {
  return isLoopbackUrl(location.origin) ? allPresets : allPresets.filter((each) => each !== localPreset);
}

export function presetNamed(id: string): StoragePreset {
  return allPresets.find((each) => each.id === id) ?? otherPreset;
}

/** Returns true for storage whose roles the service can assume. */
export function hasRoles(id: string): boolean {
  return presetNamed(id).endpoint === undefined || id === localPreset.id;
}

interface Location {
  provider: string;
  region: string;
  endpoint: string;
  endpoint_account: string;
}

/** Returns the endpoint and the region of a connection, from the provider's preset and the user's input. */
export function detailsOf(typed: Location): { endpoint: string; region: string } {
  const { endpoint: template, region: only } = presetNamed(typed.provider);
  const region = only ?? typed.region.trim();
  const endpoint = template === '' ? typed.endpoint.trim() : (template ?? '');
  return {
    endpoint: endpoint.replace('<region>', region).replace('<account>', typed.endpoint_account.trim()),
    region,
  };
}

/** Finds the preset of a stored connection, and the user's part of its endpoint. */
export function presetOf({ endpoint = '', region }: Details): Pick<Location, 'provider' | 'endpoint_account'> {
  for (const { id, endpoint: template = '' } of storagePresets) {
    if (template === '' && endpoint !== '') continue;
    const [before = '', after] = template.replace('<region>', region).split('<account>');
    if (after === undefined ? endpoint === before : endpoint.startsWith(before) && endpoint.endsWith(after)) {
      const isOfAccount = after !== undefined;
      const part = isOfAccount ? endpoint.slice(before.length, endpoint.length - after.length) : '';
      return { provider: id, endpoint_account: part };
    }
  }
  return { provider: isLoopbackUrl(endpoint) ? localPreset.id : otherPreset.id, endpoint_account: '' };
}

/** Describes the location of a connection's storage. */
export function describeLocation(details: Details): string {
  const { name, endpoint } = presetNamed(presetOf(details).provider);
  return endpoint === '' ? `${name}, ${details.endpoint}` : `${name}, ${details.region}`;
}
