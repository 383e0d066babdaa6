import * as z from 'zod';
import type { AccountRecord } from '../../domain/accounts/accounts.ts';
import type { PersonIdentity } from '../../domain/accounts/callers.ts';
import { ServiceError } from '../../domain/errors.ts';
import { decode, encode } from '../codec.ts';
import { keys } from '../keys.ts';
import type { FinishedMigrations } from '../migrations/finished-migrations.ts';
import { identityRecord } from '../records.ts';
import { readNamed } from '../request-data.ts';
import type { Item, Table, Write } from '../table.ts';

export const identitiesOfPeople = { name: '0004-identities-of-people' } as const;

const formerIssuerRecord = z.object({ issuer: z.string() });

/**
 * Which account belongs to whom. A person is an issuer's subject: two issuers may well give one subject to two people.
 * Earlier releases knew the subject alone, of whatever issuer was configured. Their pointers count for that one issuer,
 * which the table remembers from the first run of the migration, or the first account of this release, on.
 */
export class Identities {
  readonly #table: Table;
  readonly #migrations: Pick<FinishedMigrations, 'isFinished'>;
  /** Never changes once it is there. */
  #formerIssuer: string | undefined;

  constructor(table: Table, migrations: Pick<FinishedMigrations, 'isFinished'>) {
    this.#table = table;
    this.#migrations = migrations;
  }

  async findAccountId(person: PersonIdentity): Promise<string | undefined> {
    const { issuer, identity_id } = person;
    const key = keys.person(issuer, identity_id);
    if (await this.#migrations.isFinished(identitiesOfPeople)) {
      return decode(identityRecord, await this.#table.get(key))?.account_id;
    }
    const read = await readNamed(this.#table, {
      person: key,
      former: keys.formerIdentity(identity_id),
      formerIssuer: this.#formerIssuer === undefined ? keys.formerIssuer() : undefined,
    });
    const formerIssuer = this.#remember(read.formerIssuer) ?? issuer;
    const found = read.person ?? (issuer === formerIssuer ? read.former : undefined);
    return decode(identityRecord, found)?.account_id;
  }

  /**
   * What an account of this person writes beside itself. For the former issuer also the former pointer, for functions
   * of the older release; absent, each of them, since either release may have made an account for the person.
   */
  async writesFor(person: PersonIdentity, accountId: string): Promise<Write[]> {
    const known = this.#formerIssuer ?? this.#remember(await this.#table.get(keys.formerIssuer()));
    const taken = new ServiceError('account_exists', 'This identity has a user account already; sign in to use it');
    const pointers = [
      encodePerson(person, accountId),
      ...(known === undefined || known === person.issuer ? [encodeFormerIdentity(person, accountId)] : []),
    ];
    return [
      ...pointers.map((item) => ({ kind: 'put', item, condition: { exists: false }, refusal: taken }) as const),
      ...(known === undefined
        ? [
            {
              kind: 'put',
              item: encodeFormerIssuer(person.issuer),
              condition: { exists: false },
              refusal: formerIssuerIsNews,
            } as const,
          ]
        : []),
    ];
  }

  /** What leads a person to an account that is deleted, so that the same person may make another one. */
  async removalWrites({ account_id, identity_id, identity_issuer }: AccountRecord): Promise<Write[]> {
    const known = identity_issuer ?? this.#formerIssuer ?? this.#remember(await this.#table.get(keys.formerIssuer()));
    const wanted = [
      ...(known === undefined ? [] : [keys.person(known, identity_id)]),
      keys.formerIdentity(identity_id),
    ];
    const found = await this.#table.getMany(wanted);
    return wanted.flatMap((key, index): Write[] =>
      decode(identityRecord, found[index])?.account_id === account_id
        ? [{ kind: 'delete', key, condition: { absentOrEquals: { account_id } } }]
        : [],
    );
  }

  #remember(item: Item | undefined): string | undefined {
    this.#formerIssuer ??= decode(formerIssuerRecord, item)?.issuer;
    return this.#formerIssuer;
  }
}

/** Somebody else was the first to write it down: ask for the writes again. */
export const formerIssuerIsNews = new ServiceError('unavailable', 'The service is busy; try again in a moment');

export function encodePerson({ issuer, identity_id }: PersonIdentity, account_id: string): Item {
  return encode('identity', { account_id }, { key: keys.person(issuer, identity_id) });
}

function encodeFormerIdentity({ identity_id }: PersonIdentity, account_id: string): Item {
  return encode('identity', { account_id }, { key: keys.formerIdentity(identity_id) });
}

export function encodeFormerIssuer(issuer: string): Item {
  return encode('former_issuer', { issuer }, { key: keys.formerIssuer() });
}

export function readFormerIssuer(item: Item | undefined): string | undefined {
  return decode(formerIssuerRecord, item)?.issuer;
}
