import { useEffect, useRef, useState } from 'preact/hooks';
import type { DrawnMap, Look, RasterChoice } from '../../preview.ts';
import { extentOf, type Viewport } from './viewport.ts';

/** Reads the map content for a part. Rejects with an error whose message is for readers. */
export type LookAt = (look: Look) => Promise<DrawnMap>;

/** The delay after the last change of the viewport before the map reads the visible part. */
const settleMs = 200;

/** Reads the visible part of a map after each change of the viewport. Returns the newest map and its status text. */
export function useLook(
  first: DrawnMap,
  lookAt: LookAt,
  viewport: Viewport | undefined,
  hasMoved: boolean,
  choice: RasterChoice | undefined,
): { map: DrawnMap; message: string | undefined } {
  const [map, setMap] = useState(first);
  const [message, setMessage] = useState<string>();
  /** Only one read runs at a time. After it, the newest requested part is read. */
  const reading = useRef<{ isBusy: boolean; wanted: Look | undefined }>({ isBusy: false, wanted: undefined });

  useEffect(() => setMap(first), [first]);
  useEffect(() => {
    if (first.reads === undefined || viewport === undefined) return;
    if (!hasMoved && choice === undefined && first.reads !== 'each') return;
    const { width, height } = viewport;
    const look: Look = { extent: extentOf(viewport), width, height, ...(choice && { raster: choice }) };
    const timer = setTimeout(() => {
      reading.current.wanted = look;
      if (!reading.current.isBusy) void readWanted(lookAt);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [viewport, choice]);

  return { map, message };

  async function readWanted(read: LookAt): Promise<void> {
    const { wanted } = reading.current;
    if (wanted === undefined) return;
    reading.current = { isBusy: true, wanted: undefined };
    setMessage('Loading this part …');
    try {
      setMap(await read(wanted));
      setMessage(undefined);
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
    }
    reading.current.isBusy = false;
    await readWanted(read);
  }
}
