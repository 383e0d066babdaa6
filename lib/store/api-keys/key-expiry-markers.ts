import {
  type ExpiryMarker,
  type ExpiryMarkerKind,
  expiryMarkerKinds,
  expiryMarkersOf,
} from '../../domain/service-accounts/key-expiry.ts';
import { encode } from '../codec.ts';
import type { Item, Key } from '../keys.ts';
import { TableStore } from '../table.ts';
import { put, remove } from '../writes.ts';

export class KeyExpiryMarkerStore extends TableStore {
  findKey(key: ExpiryMarker['key']): Promise<Item | undefined> {
    return this.table.get(key);
  }

  /**
   * Writes or deletes the expiry markers of a key. Reads the current state of the key, because stream records can be
   * late or repeated.
   */
  async follow(key: ExpiryMarker['key']): Promise<void> {
    const wanted = expiryMarkersOf(await this.table.get(key), key);
    await this.table.transact(
      expiryMarkerKinds.map((kind) => {
        const marker = wanted.find(({ marks }) => marks === kind);
        if (marker === undefined) return remove(markerKey(key, kind));
        const { entity, ...record } = marker;
        return put(encode(entity, record, { key: markerKey(key, kind), deleteAfter: marker.due_at }));
      }),
    );
  }
}

/** Returns the table key of an expiry marker. It is in the partition of the API key or service account key. */
function markerKey({ pk }: Key, kind: ExpiryMarkerKind): Key {
  return { pk, sk: `KEY_${kind.toUpperCase()}` };
}
