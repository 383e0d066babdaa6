import { formatMinute } from '../../../lib/pages/site/format.ts';

/** @param timeZone that of the reader where none is given */
export function minuteFormat(timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  });
}

const ofReader = minuteFormat();

/** `2026-03-09 14:05 CET`: as the public pages write it, by the clock of whoever reads. Empty for a time that is not known. */
export function localMinute(time: number | undefined, format = ofReader): string {
  if (time === undefined || Number.isNaN(time)) return '';
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
}

/** A time by the reader's clock; by UTC, as the public pages have it, for whoever points at it. */
export function Minute({ time }: { time: number | undefined }) {
  if (time === undefined || Number.isNaN(time)) return null;
  return (
    <time dateTime={new Date(time).toISOString()} title={formatMinute(time)}>
      {localMinute(time)}
    </time>
  );
}
