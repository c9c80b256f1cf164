
// For the viewer request and the viewer response of a behavior that allows all seven methods.
// The cache key is the path alone: which file is meant is decided before the cache is asked.

const MARK = "x-labgen-location";

// The query as text again: CloudFront hands it over in pieces.
function queryOf(pieces) {
  const parts = [];
  Object.keys(pieces).forEach((name) => {
    const values = pieces[name].multiValue || [pieces[name]];
    values.forEach((one) => parts.push(one.value === "" ? name : name + "=" + one.value));
  });
  return parts.join("&");
}

// Header fields as CloudFront writes them, added to those that are there.
function addFields(headers, fields) {
  Object.keys(fields).forEach((name) => {
    headers[name.toLowerCase()] = { value: fields[name] };
  });
  return headers;
}

function isDocument(uri) {
  return /\/(?:index\.json|api\.html)?$/.test(uri);
}

// What is answered at once, without the bucket.
function answer(decision, method) {
  const response = { statusCode: decision.status, headers: addFields({}, decision.fields) };
  if (decision.body && method !== "HEAD") response.body = { encoding: "text", data: decision.body };
  return response;
}

// Before the bucket is asked: which file is meant. out/ lies at its root, whatever the base path is.
function onRequest(request) {
  const query = queryOf(request.querystring);
  const accept = request.headers.accept && request.headers.accept.value;
  const decision = decide(request.method, request.uri, query, accept);
  delete request.headers[MARK];
  if (!decision.file) return answer(decision, request.method);
  // [missing] the page is a file that is there, so its status would be 200: JSON for everyone
  if (decision.status === 404) return answer(notFound(), request.method);
  // [slash] a name without a dot can only be a path without its slash: ask for its document or page
  const isPath = decision.below && !/\.[^/]*$/.test(decision.file);
  if (isPath) request.headers[MARK] = { value: decision.location };
  request.uri = (isPath ? decision.below : decision.file).slice(BASE.length);
  return request;
}

// After the bucket answered with 200 or 304; a 404 comes here no more.
// `request` is what onRequest returned or what the client sent: either will do.
function onResponse(request, response) {
  const query = queryOf(request.querystring);
  const mark = request.headers[MARK];
  // [slash] the document is there, so its path is
  if (mark) return answer(moved(mark.value), request.method);
  const isBare = /\/[^/.]+$/.test(request.uri);
  if (isBare) return answer(moved(decide("GET", request.uri, query).location), request.method);
  // [headers] the bucket knows none of them
  const path = request.uri.indexOf(BASE + "/") === 0 ? request.uri : BASE + request.uri;
  const decision = isDocument(path) ? ofDocument("", "") : ofFile(path, "");
  delete decision.fields["Content-Type"];
  addFields(response.headers, decision.fields);
  return response;
}

function handler(event) {
  const isResponse = event.context.eventType === "viewer-response";
  return isResponse ? onResponse(event.request, event.response) : onRequest(event.request);
}
