/** A Similar-lab item: a laboratory as lists show it. */
export interface Laboratory {
  display_id: string;
  name: string;
  image_url: string | null;
  locality: string;
  country: { iso_code: string; slug: string; name: string; link: string | null };
  url: string;
}

/** The most frequent values of a facet, and those that the query names. */
export interface Facet {
  name: string;
  title: string;
  search_arg: string;
  /** Whether all values were compared; otherwise a frequent one may be missing. */
  is_exact: boolean;
  items: { search_val: string; title: string; count: number; is_selected: boolean }[];
}

/** An entry that has words of a query. */
export interface Entry {
  /** The name of its section. */
  name: string;
  /** The title of its section. */
  section: string;
  search_arg: string;
  search_val: string;
  title: string;
  /** The title in parts: every other one, from the second on, is what was found. */
  marked: string[];
}

/** Why a laboratory was found. */
export interface Match {
  display_id: string;
  /** At most three entries with words of the query. */
  entries: Entry[];
  /** Words that only its free texts have. */
  texts: string[];
  /** Its rating; where the results are ordered by it. */
  rating?: string;
}

/** An entry that a text may mean. */
export interface Suggestion extends Entry {
  /** How many laboratories have it that match the query, too. */
  count: number;
  /** What of the text is not in the title. */
  rest: string;
}

/** A page of the laboratories that a query found. */
export interface Page {
  count: number;
  next: string | null;
  previous: string | null;
  results: Laboratory[];
  /** Why each of them was found, in their order; with `matches=true`. */
  matches?: Match[];
  facets?: Facet[];
  ignored?: string[];
  instead?: Record<string, string[]>;
  unknown?: Record<string, string[]>;
}

export type Answer =
  | { status: 200; document: Page }
  | { status: 400; document: Record<string, string[]> }
  | { status: 404; document: { detail: string } };

/** Returns the text of a file by its name below the root of the site, or null where there is no such file. It throws where the file cannot be read. */
export type Read = (name: string) => string | null | Promise<string | null>;

export interface Search {
  /**
   * Answers a query, or an address with one such as `next`; null where the site has no search.
   * `soon` is called before results are read, and with each further one as it comes: `results` are those before which none is missing. What it throws ends the search.
   */
  (query?: string | URL | URLSearchParams, soon?: (known: Pick<Page, "count" | "results" | "ignored" | "instead">) => void): Promise<Answer | null>;
  /** Says whether a query has a parameter of the search; otherwise the address is that of the whole list. */
  isAsked(query?: string | URL | URLSearchParams): Promise<boolean>;
  /** Reads the lists of files that every search for words needs. */
  prepare(): Promise<void>;
  /** Returns how many laboratories a query finds, and reads none of them: 0 where a value is invalid, null where the site has no search. */
  count(query?: string | URL | URLSearchParams): Promise<number | null>;
  /** Returns the values of a facet that laboratories have, in no order; null where the site has no such facet, or no search. */
  values(facet: string): Promise<{ search_val: string; title: string; count: number }[] | null>;
  /** Suggests entries that a text may mean, of all facets or only of one; `count` is of the laboratories that match the other words of the text, and the query but for other values of the same argument. */
  suggest(text: string, query?: string | URL | URLSearchParams, only?: string): Promise<{ suggestions: Suggestion[] } | null>;
}

/**
 * Makes a search of a site that caches the files it reads, and remembers what the last query found: a page asks again for reasons and counts.
 * It waits for `pause` before each file, within long lists, and after each search: a page draws frames meanwhile.
 */
export function searcher(read: Read, pause?: () => unknown): Search;

/** Returns the JSON of a document, byte for byte as the API writes it. */
export function toJson(document: unknown): string;

/** Returns a text in lower case without accents: with ä as a, and with ä as ae where that differs. */
export function foldings(text: string): string[];

/** Returns a title in parts, of which every other one, from the second on, is what was found; of each word, the folded forms that were searched for. */
export function marked(title: string, words: string[][]): string[];

/** Returns the words of a query, each in its one or two foldings and without endings, but no stop words. */
export function queryWords(query: string): string[][];
