import type { IncomingMessage, ServerResponse } from 'node:http';
import { made } from '../functions/users.ts';
import { serveInFile } from '../service/http-server.ts';
import type { TestService } from '../service/test-service.ts';

/** A storage whose responses a test chooses. */
export interface StorageOfOurs {
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** The requests that the test storage has received. */
  asked: IncomingMessage[];
}

/** Starts a storage for the tests of this file, with a connection of this name that reads it without credentials. */
export async function startStorageOfOurs(service: TestService, data_connection_id: string): Promise<StorageOfOurs> {
  const storage: StorageOfOurs = {
    answer: (_request, response) => void response.writeHead(404).end(),
    asked: [],
  };
  const endpoint = await serveInFile((request, response) => {
    storage.asked.push(request);
    storage.answer(request, response);
  });
  const admin = await service.user('admin');
  await made(
    admin('POST', '/data-connections', {
      data_connection_id,
      name: 'Ours',
      read_only: true,
      allowed_data_modes: ['open', 'private'],
      details: { provider: 's3', bucket: 'bucket', base_prefix: '', region: 'eu-west-1', endpoint },
    }),
  );
  return storage;
}
