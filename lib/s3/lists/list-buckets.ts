import type { Principal } from '../../domain/data/data-access.ts';
import { concernedAccountIds, namedRepositories } from '../../domain/data/data-lists.ts';
import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { xmlDocument, xmlElement, xmlTextElement } from '../../domain/xml.ts';
import { accessDenied } from '../errors.ts';
import { type ObjectRequest, xmlAnswer } from '../objects/object-request.ts';
import { principalElement } from '../response.ts';
import { foreignToken, formatAfter, parseAfter } from './continuation.ts';
import { parseCount } from './list-input.ts';

/**
 * The creation date of every bucket. Creation dates of accounts are not stored, but some clients fail without a date.
 */
const creationDate = '1970-01-01T00:00:00.000Z';

/**
 * Implements ListBuckets. It returns the enabled accounts that own repositories and in which the caller has a role or a
 * grant.
 * Accounts exist in every region, so the parameter `bucket-region` has no effect.
 */
export async function listBuckets({ edgeRequest, access, caller, query }: ObjectRequest): Promise<Decision> {
  const { principal } = caller;
  if (principal.kind === 'link') throw accessDenied();
  if (principal.kind === 'anonymous') {
    throw new ServiceError(
      'access_denied',
      'Sign the request to list your accounts; without credentials, name an account as the bucket.',
    );
  }
  const prefix = query.get('prefix') ?? '';
  const bucketsMax = parseCount(query, 'max-buckets', limits.bucketsPageMax);
  const token = query.get('continuation-token');
  const after = token === undefined ? '' : parseAfter(token);
  if (after === undefined) throw foreignToken();
  const ageMaxSeconds = limits.listedNamesAgeMaxSeconds;
  const rights = await access.readRights(principal, ageMaxSeconds);
  const [repositories, accounts] = await Promise.all([
    access.readRepositories(namedRepositories(principal, rights), ageMaxSeconds),
    access.readAccounts(concernedAccountIds(principal, rights, 'not known'), ageMaxSeconds),
  ]);
  const concerned = new Set(concernedAccountIds(principal, rights, repositories));
  const names = accounts
    .filter(({ account_id, account_type, disabled }) => {
      return concerned.has(account_id) && account_type !== 'service' && !disabled;
    })
    .map(({ account_id }) => account_id)
    .filter((name) => name.startsWith(prefix) && name > after)
    .sort();
  const shown = names.slice(0, bucketsMax);
  const last = shown.at(-1);
  const buckets = shown.map((name) =>
    xmlElement('Bucket', xmlTextElement('Name', name) + xmlTextElement('CreationDate', creationDate)),
  );
  const document = xmlDocument(
    'ListAllMyBucketsResult',
    [
      principalElement('Owner', ownerOf(principal)),
      xmlElement('Buckets', buckets.join('')),
      xmlTextElement(
        'ContinuationToken',
        last !== undefined && shown.length < names.length ? formatAfter(last) : undefined,
      ),
      xmlTextElement('Prefix', query.get('prefix')),
    ].join(''),
  );
  return { kind: 'respond', answer: xmlAnswer(edgeRequest, document) };
}

function ownerOf(principal: Exclude<Principal, { kind: 'anonymous' }>): string {
  return principal.kind === 'service_account' ? principal.service_account_id : principal.account_id;
}
