import { type RefObject, render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { contentTypeOf } from '../../lib/pages/site/content-types.ts';
import { type CredentialedContent, nameOf } from '../../lib/pages/site/file-content.tsx';
import { scriptedFormatOf } from '../../lib/pages/site/previews/scripted.ts';
import { isDataError } from '../data/data-error.ts';
import type { DataSource } from '../data/data-source.ts';

interface ElementsOptions {
  source: DataSource;
  workerUrl: string;
  /** Ends the page if the error means a lost session or lost access. Returns false for any other error. */
  endsWith: (error: unknown) => boolean;
}

/**
 * The content types with which the page shows a file's bytes. Each type is a raster image, in which browsers run no
 * script, even in a new tab. The page takes the type from the file's name, never from storage.
 */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/**
 * An SVG can contain scripts. An `img` element does not run them, and a `data:` URL never has the origin of the site.
 */
const drawingType = 'image/svg+xml';
const readmeImagesMax = 50;
const readmeImageBytesMax = 10e6;
const drawingBytesMax = 1e6;

/** Creates the elements that show files through a data source. */
export function createElements({ source, workerUrl, endsWith }: ElementsOptions): CredentialedContent {
  return {
    Image: ({ fileKey, bytes }) => {
      const place = useRef<HTMLParagraphElement>(null);
      const { value: url, message } = useContent(place, endsWith, () => readImage(source, fileKey, bytes));
      useEffect(() => () => release(url), [url]);
      if (url !== undefined) return <img class="preview-image" src={url} alt={nameOf(fileKey)} />;
      return <Waiting place={place} message={message} />;
    },

    Document: ({ fileKey }) => {
      const place = useRef<HTMLParagraphElement>(null);
      // Signs the content type into the URL, because storage could otherwise answer with an HTML page.
      const link = () => source.link(fileKey, { contentType: 'application/pdf' });
      const { value: url, message } = useContent(place, endsWith, link);
      if (url !== undefined) return <iframe class="preview-frame" src={url} title={nameOf(fileKey)} />;
      return <Waiting place={place} message={message} />;
    },

    ScriptedPreview: ({ fileKey, bytes, hrefOf }) => {
      const place = useRef<HTMLDivElement>(null);
      const isVisible = useVisible(place);
      useEffect(() => {
        const element = place.current;
        const format = scriptedFormatOf(fileKey);
        if (!isVisible || element === null || format === undefined) return;
        render(<p class="soft">Loading the preview …</p>, element);
        let isGone = false;
        // Most pages have no scripted preview, so the preview code is loaded on demand.
        void import('./show-with-credentials.ts').then(({ showWithCredentials }) => {
          if (!isGone) showWithCredentials(element, { format, bytes, workerUrl, source, fileKey, hrefOf, endsWith });
        });
        return () => {
          isGone = true;
          render(null, element);
        };
      }, [isVisible]);
      return <div ref={place} role="region" aria-label={nameOf(fileKey)} class="scripted" />;
    },

    Download: ({ fileKey }) => {
      const [message, setMessage] = useState<string>();
      const download = async () => {
        setMessage(undefined);
        try {
          // Opens the download in a new tab, which closes when the download begins. In the current tab, an error would
          // replace the page.
          globalThis.open(await source.link(fileKey, { isDownload: true }), '_blank', 'noopener');
        } catch (error) {
          if (!endsWith(error)) setMessage(messageOf(error));
        }
      };
      return (
        <>
          <button type="button" class="button" onClick={() => void download()}>
            Download
          </button>
          {message !== undefined && <span role="alert">{message}</span>}
        </>
      );
    },

    loadImages: createImageLoader(source, endsWith),
  };
}

function Waiting({ place, message }: { place: RefObject<HTMLParagraphElement | null>; message: string | undefined }) {
  return (
    <p ref={place} class={message === undefined ? 'soft' : 'notice'} role="status">
      {message ?? 'Loading …'}
    </p>
  );
}

/** Returns the text of an error for users. Only the data client's errors have such a text. */
export function messageOf(error: unknown): string {
  return isDataError(error) ? error.message : 'An error occurred in this page. Try again.';
}

/** Returns true once the element is visible, for example after the user opened the collapsed section around it. */
function useVisible(place: RefObject<Element | null>): boolean {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    if (place.current === null || isVisible) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return isVisible;
}

/**
 * Loads content when the element that will contain it is visible. Returns a message if the content cannot be loaded.
 */
function useContent(
  place: RefObject<Element | null>,
  endsWith: ElementsOptions['endsWith'],
  load: () => Promise<string>,
): { value?: string; message?: string } {
  const [state, setState] = useState<{ value?: string; message?: string }>({});
  const isVisible = useVisible(place);
  useEffect(() => {
    if (!isVisible) return;
    let isGone = false;
    load().then(
      (value) => (isGone ? release(value) : setState({ value })),
      (error: unknown) => !isGone && !endsWith(error) && setState({ message: messageOf(error) }),
    );
    return () => {
      isGone = true;
    };
  }, [isVisible]);
  return state;
}

async function readImage(source: DataSource, key: string, bytesMax: number): Promise<string> {
  const type = contentTypeOf(key);
  if (type === drawingType) return drawingUrl(await source.read(key, 0, Math.min(bytesMax, drawingBytesMax)));
  if (!imageTypes.has(type)) throw new Error(`${key} is not an image`);
  return URL.createObjectURL(new Blob([await source.read(key, 0, bytesMax)], { type }));
}

function drawingUrl(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return `data:${drawingType};base64,${btoa(text)}`;
}

function release(url: string | undefined): void {
  if (url?.startsWith('blob:')) URL.revokeObjectURL(url);
}

/**
 * Returns a function that loads the images in an element when they are visible. A call without an element releases the
 * loaded images.
 */
function createImageLoader(source: DataSource, endsWith: ElementsOptions['endsWith']) {
  const loaded = new Set<string>();
  const load = async (image: HTMLImageElement) => {
    try {
      const url = await readImage(source, image.dataset['key'] ?? '', readmeImageBytesMax);
      if (!image.isConnected) return release(url);
      loaded.add(url);
      image.src = url;
    } catch (error) {
      // A missing image shows its alternative text, as on public pages.
      endsWith(error);
    }
  };
  const look: IntersectionObserverCallback = (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLImageElement)) continue;
      observer.unobserve(target);
      void load(target);
    }
  };
  const observer = new IntersectionObserver(look, { rootMargin: '50%' });
  return (element: HTMLElement | null) => {
    if (element === null) {
      observer.disconnect();
      for (const url of loaded) release(url);
      loaded.clear();
      return;
    }
    const images = [...element.querySelectorAll<HTMLImageElement>('img[data-key]')];
    for (const image of images.slice(0, readmeImagesMax)) observer.observe(image);
  };
}
