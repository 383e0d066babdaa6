import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { panned, type Viewport, zoomed } from './viewport.ts';

export interface GestureActions {
  /** Changes the viewport. */
  change: (move: (viewport: Viewport) => Viewport) => void;
  /**
   * Called when the mouse moves over the map, with its position in pixels. Called with undefined when the mouse leaves
   * the map.
   */
  point: (left?: number, top?: number) => void;
  /** Called when the user clicks or taps a position. */
  pick: (left: number, top: number) => void;
  /** Shows the whole map. */
  showAll: () => void;
  /** Called after each key press that the map handles, and with Enter for the middle of the map. */
  press: (key: string) => void;
  /** Called when the user turns the wheel but the map must not zoom. */
  scrollPast: () => void;
}

const panPixels = 80;
const clickPixelsMax = 5;
export const zoomStep = 1.6;

const moves: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [panPixels, 0],
  ArrowRight: [-panPixels, 0],
  ArrowUp: [0, panPixels],
  ArrowDown: [0, -panPixels],
};
const zooms: Readonly<Record<string, number>> = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep, _: 1 / zoomStep };

/** Moves and zooms a map by mouse, touch, pen, wheel, and keyboard. */
export function useGestures(surface: RefObject<HTMLElement | null>, actions: GestureActions): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const element = surface.current;
    if (element === null) return;
    const listening = new AbortController();
    const listen = <Type extends keyof HTMLElementEventMap>(
      type: Type,
      listener: (event: HTMLElementEventMap[Type]) => void,
    ) => element.addEventListener(type, listener, { signal: listening.signal, passive: false });
    const pointers = new Map<number, readonly [number, number]>();
    let distance = 0;
    const placeOf = ({ clientX, clientY }: MouseEvent) => {
      const { left, top } = element.getBoundingClientRect();
      return [clientX - left, clientY - top] as const;
    };
    listen('pointerdown', (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, placeOf(event));
      if (pointers.size === 1) distance = 0;
    });
    listen('pointermove', (event) => {
      const place = placeOf(event);
      const before = pointers.get(event.pointerId);
      if (before === undefined) {
        if (event.pointerType === 'mouse') current.current.point(...place);
        return;
      }
      pointers.set(event.pointerId, place);
      distance += Math.hypot(place[0] - before[0], place[1] - before[1]);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other === undefined) {
        if (distance > clickPixelsMax) {
          current.current.change((viewport) => panned(viewport, place[0] - before[0], place[1] - before[1]));
        }
        return;
      }
      // With two fingers, zoom by the change of their distance. The point at the other finger stays at the same
      // position.
      const length = (from: readonly [number, number]) => Math.hypot(from[0] - other[0], from[1] - other[1]);
      const factor = length(place) / Math.max(length(before), 1);
      current.current.change((viewport) => zoomed(viewport, Math.min(Math.max(factor, 0.5), 2), ...other));
    });
    const release = (event: PointerEvent) => {
      if (!pointers.delete(event.pointerId) || event.type !== 'pointerup') return;
      if (pointers.size === 0 && distance <= clickPixelsMax) current.current.pick(...placeOf(event));
    };
    listen('pointerup', release);
    listen('pointercancel', release);
    listen('pointerleave', () => current.current.point());
    listen('dblclick', (event) => {
      const place = placeOf(event);
      current.current.change((viewport) => zoomed(viewport, zoomStep, ...place));
    });
    listen('wheel', (event) => {
      // Until the user clicks the map, the wheel scrolls the page and does not zoom.
      if (document.activeElement !== element && !event.ctrlKey && !event.metaKey) {
        current.current.scrollPast();
        return;
      }
      event.preventDefault();
      // Browsers that count the wheel in lines instead of pixels send 3 lines for one step.
      const pixels = event.deltaY * (event.deltaMode === 1 ? 33 : 1);
      const place = placeOf(event);
      current.current.change((viewport) =>
        zoomed(viewport, 2 ** (-Math.max(-400, Math.min(400, pixels)) / 300), ...place),
      );
    });
    listen('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const move = moves[event.key];
      const zoom = zooms[event.key];
      if (move !== undefined) current.current.change((viewport) => panned(viewport, ...move));
      else if (zoom !== undefined)
        current.current.change((viewport) => zoomed(viewport, zoom, viewport.width / 2, viewport.height / 2));
      else if (event.key === '0' || event.key === 'Home') current.current.showAll();
      else if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault();
      current.current.press(event.key);
    });
    return () => listening.abort();
  }, []);
}
