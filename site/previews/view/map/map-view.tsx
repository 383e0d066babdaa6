import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { cellOf, cutText } from '../../../../lib/pages/site/previews/cell-text.ts';
import type { DrawnMap, FeatureColumn, MapLayer, RasterChoice } from '../../preview.ts';
import { type ColumnStyle, styleBy } from './column-style.ts';
import { drawMap, layerColours, layerNames } from './draw-map.ts';
import { type LandDetail, landDetailOf, loadLand } from './land.ts';
import { RasterControls } from './raster-controls.tsx';
import { featureAt } from './shapes.ts';
import { useGestures, zoomStep } from './use-gestures.ts';
import { type LookAt, useLook } from './use-look.ts';
import {
  bounded,
  fitted,
  metersPerPixel,
  planeAt,
  positionText,
  scaleBarOf,
  type Viewport,
  zoomed,
} from './viewport.ts';

const namesShown = 24;
/** The distance in pixels up to which the pointer hits a point or a line. */
const reachPixels = 6;
const hoveredProperties = 8;
const keys = 'Arrow keys move the map. Plus and minus zoom. 0 shows all of it. Enter shows the feature in the middle.';

export interface MapProps {
  map: DrawnMap;
  /** Reads the map content for the visible part. */
  look: LookAt;
}

/** A map that the user can move and zoom. It has no base map of another server, so it needs no external connection. */
export function MapView({ map: first, look }: MapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const surface = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [viewport, setViewport] = useState<Viewport>();
  const [hasMoved, setMoved] = useState(false);
  const [choice, setChoice] = useState<RasterChoice>();
  const [columnName, setColumnName] = useState('');
  const [hovered, setHovered] = useState<number>();
  const [picked, setPicked] = useState<number>();
  const [pointer, setPointer] = useState<readonly [number, number]>();
  const [hasCrosshair, setCrosshair] = useState(false);
  const [hasHint, setHint] = useState(false);
  const { map, message } = useLook(first, look, viewport, hasMoved, choice);
  const land = useLand(map, viewport);
  const isDark = useDarkScheme();
  const column = map.columns?.find(({ name }) => name === columnName);
  const style = useMemo(() => (column === undefined ? undefined : styleBy(column)), [column]);
  const feature = picked ?? hovered;

  // The row numbers of features differ in another part of the file, so clear the selection.
  useEffect(() => {
    setPicked(undefined);
    setHovered(undefined);
  }, [map]);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width === 0 || height === 0) return;
      setViewport((before) =>
        before === undefined ? fitted(first.extent, width, height) : { ...before, width, height },
      );
    };
    const resizing = new ResizeObserver(measure);
    resizing.observe(element);
    return () => resizing.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (canvas.current === null || viewport === undefined) return;
    const tokens = style && tokensOf(style);
    const drawn = { map, viewport, land, feature, hasCrosshair };
    drawMap(canvas.current, { ...drawn, style: style && tokens && { classes: style.classes, tokens } });
  }, [map, viewport, land, style, feature, hasCrosshair, isDark]);

  const change = (move: (viewport: Viewport) => Viewport) => {
    setMoved(true);
    setHint(false);
    setHovered(undefined);
    setViewport((before) => before && bounded(move(before), map.plane, first.extent));
  };
  const showAll = () => change(({ width, height }) => fitted(first.extent, width, height));
  const zoom = (factor: number) => change((before) => zoomed(before, factor, before.width / 2, before.height / 2));
  const featureUnder = (left: number, top: number) => {
    if (viewport === undefined || map.columns === undefined) return undefined;
    return featureAt(map.layers, ...planeAt(viewport, left, top), reachPixels / viewport.scale);
  };
  useGestures(surface, {
    change,
    showAll,
    point: (left, top) => {
      setPointer(left === undefined || top === undefined ? undefined : [left, top]);
      setHovered(left === undefined || top === undefined ? undefined : featureUnder(left, top));
    },
    pick: (left, top) => {
      surface.current?.focus({ preventScroll: true });
      setCrosshair(false);
      setHint(false);
      setPicked(featureUnder(left, top));
    },
    press: (key) => {
      setCrosshair(true);
      if (key === 'Escape') setPicked(undefined);
      else if (key === 'Enter' && viewport !== undefined)
        setPicked(featureUnder(viewport.width / 2, viewport.height / 2));
    },
    scrollPast: () => setHint(true),
  });

  const notes = [...(map.notes ?? []), ...(message === undefined ? [] : [message])];
  return (
    <figure class="map" aria-live="off">
      <div class="frame" ref={frame}>
        <div
          ref={surface}
          class="surface"
          tabindex={0}
          role="application"
          aria-roledescription="map"
          aria-label={map.description}
          aria-description={keys}
          onFocus={({ currentTarget }) => setCrosshair(currentTarget.matches(':focus-visible'))}
          onBlur={() => setCrosshair(false)}
        >
          <canvas ref={canvas} />
        </div>
        <div class="zoom">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(zoomStep)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / zoomStep)}>
            −
          </button>
          <button type="button" aria-label="Show the whole map" onClick={showAll}>
            ⤢
          </button>
        </div>
        {hasHint && <p class="hint">Click the map to zoom with the wheel.</p>}
        {feature !== undefined && map.columns !== undefined && (
          <FeatureBox
            columns={map.columns}
            feature={feature}
            close={picked === undefined ? undefined : () => setPicked(undefined)}
          />
        )}
      </div>
      {viewport !== undefined && <StatusLine map={map} viewport={viewport} pointer={pointer} />}
      <figcaption>
        <div class="choices">
          {map.columns !== undefined && map.columns.length > 0 && (
            <label>
              Color by{' '}
              <select value={columnName} onChange={({ currentTarget: { value } }) => setColumnName(value)}>
                <option value="">Nothing</option>
                {map.columns.map(({ name }) => (
                  <option key={name} value={name}>
                    {cutText(name, 60)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {map.raster !== undefined && <RasterControls raster={map.raster} choose={setChoice} />}
        </div>
        {style === undefined ? <LayerLegend map={map} /> : <ColumnLegend style={style} />}
        <p class="soft" role="status">
          {notes.join(' ')}
        </p>
      </figcaption>
    </figure>
  );
}

function StatusLine({
  map,
  viewport,
  pointer,
}: {
  map: DrawnMap;
  viewport: Viewport;
  pointer: readonly [number, number] | undefined;
}) {
  const { pixels, label } = scaleBarOf(viewport, map.plane);
  const [left, top] = pointer ?? [viewport.width / 2, viewport.height / 2];
  return (
    <p class="position">
      <span>
        <span class="bar" style={{ width: `${pixels.toFixed(1)}px` }} aria-hidden="true" /> {label}
      </span>
      <span>
        {pointer === undefined && 'Middle: '}
        {positionText(viewport, map.plane, ...planeAt(viewport, left, top))}
      </span>
    </p>
  );
}

/** Shows the properties of a feature over the map. `close` is set for a feature that the user clicked. */
function FeatureBox({
  columns,
  feature,
  close,
}: {
  columns: readonly FeatureColumn[];
  feature: number;
  close: (() => void) | undefined;
}) {
  const shown = close === undefined ? columns.slice(0, hoveredProperties) : columns;
  const more = columns.length - shown.length;
  return (
    <div class={close === undefined ? 'feature' : 'feature picked'}>
      {close !== undefined && (
        <button type="button" aria-label="Close the feature" onClick={close}>
          ×
        </button>
      )}
      <div
        class="values"
        {...(close !== undefined && { tabindex: 0, role: 'group', 'aria-label': 'Feature', 'aria-live': 'polite' })}
      >
        <dl>
          {shown.map(({ name, values }) => {
            const value = values[feature];
            return (
              <div key={name}>
                <dt>{cutText(name, 60)}</dt>
                <dd>{(typeof value === 'number' && Number.isNaN(value) ? null : cellOf(value)) ?? '–'}</dd>
              </div>
            );
          })}
        </dl>
      </div>
      {more > 0 && <p class="soft">Click to see {more} more.</p>}
    </div>
  );
}

function LayerLegend({ map }: { map: DrawnMap }) {
  const all = layerNames(map);
  const names = all.filter((name) => name !== '');
  if (names.length === 0) return null;
  return (
    <ul class="legend">
      {names.slice(0, namesShown).map((name) => (
        <li key={name}>
          <span class={`swatch shape-${(all.indexOf(name) % layerColours) + 1}`} aria-hidden="true" />
          {cutText(name, 60)}
        </li>
      ))}
    </ul>
  );
}

function ColumnLegend({ style }: { style: ColumnStyle }) {
  const tokens = tokensOf(style);
  return (
    <ul class="legend">
      {style.labels.map((label, index) => (
        <li key={label}>
          <span class={`swatch ${tokens[index]?.slice(2) ?? ''}`} aria-hidden="true" />
          {label}
        </li>
      ))}
      {style.classes.includes(-1) && (
        <li>
          <span class="swatch none" aria-hidden="true" />
          No value
        </li>
      )}
    </ul>
  );
}

/** Returns the CSS variables of the class colors. A scale with few classes still uses its whole range. */
function tokensOf({ labels, isScale }: ColumnStyle): string[] {
  const last = Math.max(labels.length - 1, 1);
  return labels.map((_, at) => (isScale ? `--scale-${1 + Math.round((at * 5) / last)}` : `--shape-${at + 1}`));
}

/** Returns the land outline with a level of detail for the viewport. */
function useLand(map: DrawnMap, viewport: Viewport | undefined): MapLayer | undefined {
  const [lands, setLands] = useState<Partial<Record<LandDetail, MapLayer>>>({});
  const detail =
    map.plane === 'mercator' && viewport !== undefined ? landDetailOf(metersPerPixel(viewport)) : undefined;
  useEffect(() => {
    if (detail === undefined || lands[detail] !== undefined) return;
    loadLand(detail).then(
      (land) => setLands((before) => ({ ...before, [detail]: land })),
      // The map also works without the land outline, so ignore the error.
      () => undefined,
    );
  }, [detail]);
  return detail && (lands[detail] ?? lands.coarse);
}

function useDarkScheme(): boolean {
  const scheme = useMemo(() => matchMedia('(prefers-color-scheme: dark)'), []);
  const [isDark, setDark] = useState(scheme.matches);
  useEffect(() => {
    const update = () => setDark(scheme.matches);
    scheme.addEventListener('change', update);
    return () => scheme.removeEventListener('change', update);
  }, []);
  return isDark;
}
