import { isLoopbackUrl } from '../../../lib/pages/site/machines/subject.ts';
import { type StoragePreset, storagePresets } from '../../../lib/pages/site/storage-presets.ts';
import type { Schemas } from '../api/client.ts';

type Details = Pick<Schemas['DataConnectionDetails'], 'endpoint' | 'region'>;

/** A store on the machine of the service. Roles of the emulator of AWS work there as roles of AWS do. */
const localPreset: StoragePreset = {
  id: 'local',
  name: 'Store of this machine',
  endpoint: '',
  regionHint: 'us-east-1, unless the store has another.',
  tested: 'directly',
  differences: [],
  sources: [],
};

/** A store that no preset describes. */
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

/** The kinds of storage that the console offers. A store of this machine is only offered if the site runs there too. */
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

/** Returns the endpoint and the region of a connection. Both follow from the preset as far as it knows them. */
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

/** Describes where a connection is. */
export function describeLocation(details: Details): string {
  const { name, endpoint } = presetNamed(presetOf(details).provider);
  return endpoint === '' ? `${name}, ${details.endpoint}` : `${name}, ${details.region}`;
}
