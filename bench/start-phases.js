import { subscribe } from 'node:diagnostics_channel';

// `npm run bench -- start` makes npm start load this file, which prints a line for each phase of the start. The file is
// plain JavaScript, because npm itself loads it too, possibly with an older Node.
const now = () => performance.timeOrigin + performance.now();
const beginnings = new Map();
subscribe('tracing:sluice.start:start', (phase) => beginnings.set(phase, now()));
subscribe('tracing:sluice.start:asyncStart', (phase) => {
  const { name } = phase;
  console.log(JSON.stringify({ name, from: beginnings.get(phase), to: now(), origin: performance.timeOrigin }));
});
