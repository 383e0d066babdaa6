import { credentialsOf, type DataCredentials } from '../data/credentials.ts';
import { DataError } from '../data/data-error.ts';
import type { paths } from '../generated/api.d.ts';

export interface Link {
  id: string;
  /** The secret of the link. Empty if the URL had none. */
  secret: string;
}

type Answer = paths['/links/{link_id}/credentials']['post']['responses'][200]['content']['application/json'];

/** The part of a repository that a link shows, and the credentials that read it. */
export interface OpenedLink {
  shared: Omit<Answer, 'access_key_id' | 'secret_access_key' | 'session_token' | 'expires_at'>;
  credentials: DataCredentials;
}

/** Exchanges a link for credentials. The reader needs no account. Rejects with a DataError. */
export async function openLink({ id, secret }: Link): Promise<OpenedLink> {
  const request = fetch(`/api/v1/links/${encodeURIComponent(id)}/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  const { response, text } = await request
    .then(async (answered) => ({ response: answered, text: await answered.text() }))
    .catch((cause: unknown) => {
      throw new DataError('offline', 'The service does not answer. Check your connection.', { cause });
    });
  const { status } = response;
  if (status === 429 || status >= 500) throw new DataError('busy', 'The service is busy.', { status });
  if (!response.ok) throw new DataError('refused', 'This link does not work.', { status });
  const answer = JSON.parse(text) as Answer;
  return { shared: answer, credentials: credentialsOf(answer, response) };
}
