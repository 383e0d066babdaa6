import {
  CredentialSource,
  type DataCredentials,
  type ManagementApi,
  requestCredentials,
} from '../../data/credentials.ts';
import type { RepositoryPath } from '../../data/keys.ts';
import { Mover } from '../../data/move-object.ts';
import { Multipart, type RepositoryData } from '../../data/multipart.ts';
import { Objects } from '../../data/objects.ts';
import { createSender } from '../../data/sender.ts';
import { type SharedLink, signLink } from '../../data/shared-links.ts';
import { xhrTransport } from '../../data/transport.ts';
import { createWaits, type Waits } from './waits.ts';

export interface OpenRepository extends RepositoryData {
  location: RepositoryPath;
  mover: Mover;
  /**
   * Signs a temporary URL that anyone can use. The URL is signed with separate read-only credentials, and it expires
   * with them at the latest.
   */
  share(key: string, seconds: number, isDownload?: boolean): Promise<SharedLink>;
  waits: Waits;
  /** Calls the listener when the network connection is lost or restored, but not at registration. */
  onConnection(listener: (isThere: boolean) => void): void;
  forget(): void;
}

interface OpenOptions {
  api: ManagementApi;
  dataUrl: string;
  location: RepositoryPath;
}

/**
 * Opens the data of one repository with the rights of the signed-in user. The returned object never exposes the
 * credentials.
 */
export function openRepository({ api, dataUrl, location }: OpenOptions): OpenRepository {
  const credentials = new CredentialSource(() => requestCredentials({ api, location, role: 'FullAccess' }));
  // The purpose is recorded in the audit trail: `page` for a download, whose link is used at once, and `link` for a
  // link that the user shares.
  const credentialsOfLink = (isDownload: boolean): Promise<DataCredentials> =>
    requestCredentials({ api, location, role: 'ReadOnly', purpose: isDownload ? 'page' : 'link' });
  const { waits, wait, onBusy } = createWaits();
  const listeners = new Set<(isThere: boolean) => void>();
  let isConnected = true;
  const send = createSender({
    dataUrl,
    location,
    credentials,
    transport: xhrTransport,
    wait,
    onBusy,
    onConnection: (isThere) => {
      if (isThere === isConnected) return;
      isConnected = isThere;
      for (const listener of listeners) listener(isThere);
    },
  });
  return {
    location,
    waits,
    objects: new Objects(send, location),
    multipart: new Multipart(send, location),
    mover: new Mover(send, location),
    share: async (key, seconds, isDownload = false) =>
      signLink({ dataUrl, location, key, seconds, isDownload }, await credentialsOfLink(isDownload)),
    onConnection: (listener) => void listeners.add(listener),
    forget: () => credentials.forget(),
  };
}
