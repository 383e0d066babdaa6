import { tracingChannel } from 'node:diagnostics_channel';

const channel = tracingChannel('sluice.start');

/** Runs a phase of the start and measures its time. Phases may overlap. `npm run bench -- start` shows the times. */
export function startPhase<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return channel.tracePromise(run, { name });
}
