import * as z from 'zod';
import { type MembershipState, membershipAt } from '../../domain/accounts/memberships.ts';
import { decode, encode } from '../codec.ts';
import { invitationMark, openInvitationItem } from '../invitations/open-invitations.ts';
import { keys } from '../keys.ts';
import { makeChanges } from '../migrations/item-changes.ts';
import { attributesOf, type ItemChange, type ItemChanges, type MigrationContext } from '../migrations/migration.ts';
import { type MembershipRecord, membershipRecord } from '../records.ts';
import type { Item, Table } from '../table.ts';
import { encodeEntry, encodeMembership, entryKey, invitationOf, membershipScope } from './membership-items.ts';

/**
 * Earlier releases stored a membership in its member's partition, whatever its state, with a pointer from its ID there,
 * and a role for open invitations too.
 */
const formerPointer = z.object({ membership_id: z.string(), account_id: z.string(), created_at: z.string() });

type Reading = Pick<MigrationContext, 'table' | 'now'>;

/** A membership as an earlier release keeps it, found by what its ID points to. */
export async function findFormer(
  table: Pick<Table, 'get'>,
  pointer: Item | undefined,
): Promise<MembershipRecord | undefined> {
  const place = formerPointer.safeParse(pointer).data;
  if (place === undefined) return undefined;
  const { account_id, created_at, membership_id } = place;
  const item = await table.get(keys.acceptedMembership(account_id, created_at, membership_id));
  return decode(membershipRecord, item);
}

/** Puts a membership where this release has it, as the migration would. False when it was there. */
export async function giveItsPlaces(table: Table, { account_id, created_at, membership_id }: MembershipRecord) {
  const item = await table.get(keys.acceptedMembership(account_id, created_at, membership_id));
  if (item?.['entity'] !== 'membership') return false;
  for await (const changes of newPlaces(item, { table, now: Date.parse(created_at) })) {
    if (await makeChanges(table, changes)) return true;
  }
  return false;
}

/** The one transaction that moves what an earlier release wrote; none for what is right. */
export async function* newPlaces(item: Item, { table, now }: Reading): AsyncGenerator<ItemChanges> {
  const former = decode(membershipRecord, item);
  const pointer = await table.get(keys.membership(former.membership_id));
  if (pointer?.['state'] !== undefined) return;
  const membership = membershipAt(former, now);
  const record = encodeMembership(membership);
  yield [
    ...(pointer === undefined ? [{ kind: 'put', item: record } as const] : attributesOf(pointer, record).flat()),
    ...(await placesInState[membership.state](item, membership, { table, now })),
  ];
}

type Places = (item: Item, membership: MembershipRecord, reading: Reading) => Promise<ItemChange[]>;

const placesInState: Readonly<Record<MembershipState, Places>> = {
  async member(item) {
    const change = attributesOf(item, { entity: 'membership_entry', list_pk: undefined, list_sk: undefined });
    return change.flat();
  },
  async revoked(item, membership, reading) {
    return [...(await formerRole(membership, reading)), ...moved(item, membership)];
  },
  async invited(item, membership, reading) {
    return [
      ...(await formerRole(membership, reading)),
      ...(await counted(membership, reading)),
      ...moved(item, membership),
    ];
  },
};

function moved(item: Item, membership: MembershipRecord): ItemChange[] {
  return [
    { kind: 'delete', from: item },
    { kind: 'put', item: encodeEntry(membership) },
  ];
}

async function formerRole(membership: MembershipRecord, { table }: Reading): Promise<ItemChange[]> {
  const role = await table.get(keys.role(membership.account_id, membershipScope(membership)));
  const isOfThis = role?.['membership_id'] === membership.membership_id && role['state'] === 'invited';
  return role !== undefined && isOfThis ? [{ kind: 'delete', from: role }] : [];
}

/** The limits of new invitations count the ones of earlier releases too, while they are open. */
async function counted(membership: MembershipRecord, { table }: Reading): Promise<ItemChange[]> {
  const invitation = invitationOf(membership);
  const open = openInvitationItem(invitation);
  const toOne = keys.invitationsToOne(invitation.from_account_id, invitation.to_account_id);
  const [isOpen, tally] = await table.getMany([{ pk: String(open['pk']), sk: String(open['sk']) }, toOne]);
  const mark = invitationMark(invitation);
  return [
    ...(isOpen === undefined ? [{ kind: 'put', item: open } as const] : []),
    tally === undefined
      ? { kind: 'put', item: encode('invitations_to_one', mark, { key: toOne }) }
      : { kind: 'update', from: tally, to: mark },
  ];
}

/** What an earlier release did to a membership that has its places already: it knows the member's list alone. */
export async function* takenOver(item: Item, { table }: Reading): AsyncGenerator<ItemChanges> {
  if (item['pk'] !== keys.account(String(item['account_id'])).pk) return;
  const entry = decode(membershipRecord, item);
  const record = await table.get(keys.membership(entry.membership_id));
  if (record?.['state'] === undefined) return;
  const { state, role } = decode(membershipRecord, record);
  if (state === entry.state && role === entry.role) return;
  const moves = entryKey(entry).pk === item['pk'] ? [] : moved(item, entry);
  yield [...attributesOf(record, encodeMembership(entry)).flat(), ...moves];
}
