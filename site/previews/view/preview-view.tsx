import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PartRequest, Picture, Preview } from '../preview.ts';
import type { LinkedProps } from './linked-view.tsx';
import type { MapProps } from './map/map-view.tsx';
import type { SliceProps } from './slice-view.tsx';
import { TableView } from './table-view.tsx';

interface PreviewViewProps {
  /** The loaded preview. Undefined if the file has no preview. */
  preview: Preview | undefined;
  /** The text that explains why the last read failed. */
  message: string | undefined;
  /** True if the failed read may succeed with larger limits. */
  canReadMore: boolean;
  readPart: (part: PartRequest) => Promise<void>;
  look: MapProps['look'];
  /** The map of the preview. Undefined if the preview has no map. */
  MapView: ComponentType<MapProps> | undefined;
  readSlice: SliceProps['read'];
  /** The array of the preview. Undefined if the preview has no array. */
  SliceView: ComponentType<SliceProps> | undefined;
  readLinked: LinkedProps['read'];
  /** The tree of linked files. Undefined if the preview has no linked files. */
  LinkedView: ComponentType<LinkedProps> | undefined;
  pages: LinkedProps['pages'];
}

export function PreviewView(props: PreviewViewProps) {
  const { preview, message, canReadMore, readPart, look, MapView, readSlice, SliceView, readLinked, LinkedView } =
    props;
  const notice = message !== undefined && (
    <p class="notice" role="alert">
      {message}
      {canReadMore && (
        <button type="button" class="quiet" onClick={() => void readPart({})}>
          Read more
        </button>
      )}
    </p>
  );
  if (preview === undefined) return notice;
  const { map, slice, picture, table, linked, properties = [], notes } = preview;
  return (
    <>
      {notice}
      {map !== undefined && MapView !== undefined && <MapView map={map} look={look} />}
      {slice !== undefined && SliceView !== undefined && <SliceView slice={slice} read={readSlice} />}
      {picture !== undefined && <PictureView picture={picture} />}
      <p class="soft notes" role="status">
        {notes.join(' ')}
        {preview.hasMore && (
          <>
            {' '}
            <button type="button" class="quiet" onClick={() => void readPart(table?.start ?? {})}>
              Read more
            </button>
          </>
        )}
      </p>
      {linked !== undefined && LinkedView !== undefined && (
        <LinkedView linked={linked} read={readLinked} pages={props.pages} />
      )}
      {table !== undefined && table.columns.length > 0 && <TableView table={table} readPart={readPart} />}
      {properties.length > 0 && (
        <dl class="properties wide">
          {properties.map(([name, value], index) => (
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** The width in pixels below which a picture is enlarged. */
const smallWidth = 640;

function PictureView({ picture }: { picture: Picture }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height, pixels, description, legend } = picture;
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixels, width, height), 0, 0);
  }, [pixels, width, height]);
  return (
    <figure class={width < smallWidth ? 'picture small' : 'picture'}>
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={description} />
      {legend !== undefined && (
        <figcaption class="ramp">
          <span>{legend.lowest}</span>
          <span class="colours" aria-hidden="true" />
          <span>{legend.highest}</span>
        </figcaption>
      )}
    </figure>
  );
}
