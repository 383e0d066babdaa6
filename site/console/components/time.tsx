import { formatMinute } from '../../../lib/pages/site/format.ts';

/**
 * Creates a formatter for times with minutes.
 *
 * @param timeZone the default is the user's time zone
 */
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

/** Formats a time as `2026-03-09 14:05 CET`, in the user's time zone. Returns an empty text for an unknown time. */
export function localMinute(time: number | undefined, format = ofReader): string {
  if (time === undefined || Number.isNaN(time)) return '';
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
}

/** Renders a time in the user's time zone. The tooltip has the time in UTC, as on the public pages. */
export function Minute({ time }: { time: number | undefined }) {
  if (time === undefined || Number.isNaN(time)) return null;
  return (
    <time dateTime={new Date(time).toISOString()} title={formatMinute(time)}>
      {localMinute(time)}
    </time>
  );
}
