extension SiteFile {
  /// By the name under which the browser asks.
  static let all: [String: SiteFile] = {
    let files: [(String, [UInt8])] = [
      ("api.js", PackageResources.api_js),
      ("cells.js", PackageResources.cells_js),
      ("dialog.js", PackageResources.dialog_js),
      ("dom.js", PackageResources.dom_js),
      ("drawing.js", PackageResources.drawing_js),
      ("editor.js", PackageResources.editor_js),
      ("edits.js", PackageResources.edits_js),
      ("filter-field.js", PackageResources.filter_field_js),
      ("format.js", PackageResources.format_js),
      ("frame.js", PackageResources.frame_js),
      ("history.js", PackageResources.history_js),
      ("index.html", PackageResources.index_html),
      ("keys.js", PackageResources.keys_js),
      ("lag.js", PackageResources.lag_js),
      ("lanes.js", PackageResources.lanes_js),
      ("live.js", PackageResources.live_js),
      ("logo.svg", PackageResources.logo_svg),
      ("main.js", PackageResources.main_js),
      ("map.js", PackageResources.map_js),
      ("object-editor.js", PackageResources.object_editor_js),
      ("object-forms.js", PackageResources.object_forms_js),
      ("page-conflicts.js", PackageResources.page_conflicts_js),
      ("page-health.js", PackageResources.page_health_js),
      ("page-log.js", PackageResources.page_log_js),
      ("page-object.js", PackageResources.page_object_js),
      ("page-objects.js", PackageResources.page_objects_js),
      ("page-query.js", PackageResources.page_query_js),
      ("page-replication.js", PackageResources.page_replication_js),
      ("page-schema.js", PackageResources.page_schema_js),
      ("predicate.js", PackageResources.predicate_js),
      ("ring.js", PackageResources.ring_js),
      ("router.js", PackageResources.router_js),
      ("rows.js", PackageResources.rows_js),
      ("schema.js", PackageResources.schema_js),
      ("table.js", PackageResources.table_js),
      ("tree.js", PackageResources.tree_js),
      ("values.js", PackageResources.values_js),
      ("openapi.yaml", PackageResources.openapi_yaml),
    ]
    return Dictionary(
      files.compactMap { name, bytes in SiteFile(name, bytes).map { (name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }()
}
