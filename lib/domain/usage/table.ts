import { type ClientKind, clientKinds } from './client-kinds.ts';
import { type ShownPeriod, type UsageCounts, usageFields } from './usage.ts';

/** Returns the usage of periods as CSV (RFC 4180). Each row has one period and one kind of client. */
export function usageTable({ periods }: { periods: readonly ShownPeriod[] }): string {
  const rows = periods.flatMap(({ period, is_final, clients }) =>
    clientKinds.flatMap((kind) => {
      const counts = clients[kind];
      return counts === undefined ? [] : [rowOf(period, kind, counts, is_final)];
    }),
  );
  return [`period,clients,${usageFields.join(',')},is_final`, ...rows, ''].join('\r\n');
}

function rowOf(period: string, kind: ClientKind, counts: UsageCounts, isFinal: boolean): string {
  return [period, kind, ...usageFields.map((field) => counts[field]), isFinal].join(',');
}
