/// This build, as people read it.
package enum Release {
  package static let version = "0.1"
}
