import * as z from 'zod';
import type { dataCiteSchema } from '../domain/citation/dois.ts';
import type { DoiRegistry } from '../domain/citation/registration.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { shownText } from '../domain/shown-text.ts';
import { readBounded } from '../sts/fetch-json.ts';

interface DataCiteOptions extends z.output<typeof dataCiteSchema> {
  readPassword: () => Promise<string>;
  /** The URL by which this deployment identifies itself to DataCite. DataCite's documentation asks clients to do so. */
  siteUrl: () => string;
}

const errorsSchema = z.object({ errors: z.array(z.object({ source: z.string().nullish(), title: z.string() })) });

/** Creates the client of DataCite's REST API (support.datacite.org/docs/updating-metadata-with-the-rest-api). */
export function createDataCite({ repositoryId, prefix, api, readPassword, siteUrl }: DataCiteOptions): DoiRegistry {
  const send = async (doi: string, attributes: object): Promise<Response> => {
    const password = (await readPassword()).trim();
    return fetch(`${api}/dois/${doi}`, {
      method: 'PUT',
      headers: {
        authorization: `Basic ${Buffer.from(`${repositoryId}:${password}`).toString('base64')}`,
        'content-type': 'application/vnd.api+json',
        accept: 'application/vnd.api+json',
        'user-agent': `Sluice (${siteUrl()})`,
      },
      body: JSON.stringify({ data: { type: 'dois', attributes } }),
      redirect: 'error',
      signal: AbortSignal.timeout(limits.dataCiteRequestMs),
    });
  };
  return {
    prefix,
    async write(doi, attributes) {
      try {
        const answer = await send(doi, attributes);
        if (answer.ok) await answer.body?.cancel();
        else throw refusalOf(answer.status, await readReason(answer));
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        throw unavailable('DataCite does not answer; try again in a few minutes', error);
      }
    },
  };
}

function refusalOf(status: number, reason: string): ServiceError {
  if (status === 422) {
    const told = reason === '' ? '' : `: ${reason}`;
    return new ServiceError(
      'wrong_state',
      `DataCite refuses the metadata of the version${told}. Change the metadata of the repository, and try again`,
    );
  }
  const cause = new Error(`DataCite answered ${status}${reason === '' ? '' : `: ${reason}`}`);
  if (status === 429) {
    const { dataCiteRateWindowSeconds: retryAfterSeconds } = limits;
    return unavailable('DataCite has too many requests of this deployment; try again in a few minutes', cause, {
      retryAfterSeconds,
    });
  }
  if (status >= 500) return unavailable('DataCite is not available; try again in a few minutes', cause);
  return unavailable('DataCite refuses requests of this deployment; tell its operator, and try again later', cause);
}

function unavailable(message: string, cause: unknown, options: { retryAfterSeconds?: number } = {}): ServiceError {
  return new ServiceError('unavailable', message, { cause, ...options });
}

/**
 * Returns the reasons in an error response of DataCite on one line. Returns an empty text if the response contains
 * none.
 */
async function readReason(answer: Response): Promise<string> {
  const body = await readBounded(answer, limits.dataCiteAnswerBytesMax).catch(() => Buffer.of());
  try {
    const { errors } = errorsSchema.parse(JSON.parse(body.toString('utf8')));
    const reasons = errors.map(({ source, title }) => (source ? `${source}: ${title}` : title));
    return shownText(reasons.join('; ').replaceAll(/\s+/g, ' ').trim(), limits.dataCiteReasonBytesMax);
  } catch {
    return '';
  }
}
