import Atoll
import Foundation

/// A property of ``Wide`` as the generator sees it.
struct DrawnProperty {
  enum Shape { case one, list, set, map }

  let name: String
  let shape: Shape
  /// The values that it may have.
  let values: [Plain]
  let makers: [LeafMaker]
  /// True if results are sorted and told apart by it.
  var isSortable = false
  var isAny = false
}

/// The properties that queries ask, each with the conditions that its type allows.
enum Columns {
  static func one<V>(
    _ column: Column<V>, _ makers: [LeafMaker], sorts: Bool = true, isAny: Bool = false,
    besides: [Plain] = []
  ) -> DrawnProperty {
    DrawnProperty(
      name: column.name, shape: .one, values: column.pool.map(\.plain) + besides, makers: makers,
      isSortable: sorts, isAny: isAny)
  }

  private static func many<C>(
    _ elements: Elements<C>, _ shape: DrawnProperty.Shape, _ makers: [LeafMaker],
    besides: [Plain] = []
  ) -> DrawnProperty {
    DrawnProperty(
      name: elements.name, shape: shape, values: elements.pool.map(\.plain) + besides,
      makers: makers)
  }

  static var all: [DrawnProperty] {
    numbers + others + TextLeaves.properties + mapped + listsOfNumbers + listsOfOthers + [objects]
  }

  /// Conditions on links and what is inside other values; it holds nothing of its own.
  static let ofObjects = ["int", "intOrNil", "flag", "any", "ints", "intMap", "stringMap"]

  private static var objects: DrawnProperty {
    DrawnProperty(
      name: "", shape: .one, values: [],
      makers: [
        ObjectLeaves.subquery, ObjectLeaves.count, ObjectLeaves.link, ObjectLeaves.keys,
        ObjectLeaves.anyPath, ObjectLeaves.textOnly, ObjectLeaves.byKey, ObjectLeaves.outer,
      ])
  }

  // MARK: One value

  private static var numbers: [DrawnProperty] {
    let int = Column("int", \Wide.int, Values.ints)
    let intOrNil = Column("intOrNil", \Wide.intOrNil, Values.orNil(Values.ints))
    let small = Column("small", \Wide.small, Values.bytes)
    let float = Column("float", \Wide.float, Values.floats)
    let floatOrNil = Column("floatOrNil", \Wide.floatOrNil, Values.orNil(Values.floats))
    let double = Column("double", \Wide.double, Values.doubles)
    let doubleOrNil = Column("doubleOrNil", \Wide.doubleOrNil, Values.orNil(Values.doubles))
    let decimal = Column("decimal", \Wide.decimal, Values.decimals)
    let decimalOrNil = Column("decimalOrNil", \Wide.decimalOrNil, Values.orNil(Values.decimals))
    let id = Column("id", \Wide.id, Values.smallInts)
    return [
      one(
        int, int.ordered(with: [id]) + [int.range, int.aggregate, int.computed, int.computedTwice]),
      one(
        intOrNil,
        intOrNil.ordered() + [intOrNil.rangeOrNil, intOrNil.aggregateOrNil, intOrNil.computed]),
      one(small, small.ordered() + [small.range, small.aggregate]),
      one(float, float.ordered(with: [float]) + [float.range, float.extreme, float.computed]),
      one(floatOrNil, floatOrNil.ordered() + [floatOrNil.rangeOrNil]),
      one(
        double,
        double.ordered(with: [double])
          + [double.range, double.extreme, double.computed, double.computedTwice]),
      one(
        doubleOrNil,
        doubleOrNil.ordered(with: [doubleOrNil]) + [doubleOrNil.rangeOrNil]),
      one(
        decimal,
        decimal.ordered(with: [decimal])
          + [decimal.range, decimal.aggregate, decimal.computed, decimal.computedTwice]),
      one(
        decimalOrNil,
        decimalOrNil.ordered(with: [decimalOrNil])
          + [decimalOrNil.rangeOrNil, decimalOrNil.computed]),
    ]
  }

  private static var others: [DrawnProperty] {
    let flag = Column("flag", \Wide.flag, Values.bools)
    let flagOrNil = Column("flagOrNil", \Wide.flagOrNil, Values.orNil(Values.bools))
    let string = Column("string", \Wide.string, Values.strings)
    let stringOrNil = Column("stringOrNil", \Wide.stringOrNil, Values.orNil(Values.strings))
    let data = Column("data", \Wide.data, Values.datas)
    let dataOrNil = Column("dataOrNil", \Wide.dataOrNil, Values.orNil(Values.datas))
    let date = Column("date", \Wide.date, Values.dates)
    let dateOrNil = Column("dateOrNil", \Wide.dateOrNil, Values.orNil(Values.dates))
    let uuid = Column("uuid", \Wide.uuid, Values.uuids)
    let uuidOrNil = Column("uuidOrNil", \Wide.uuidOrNil, Values.orNil(Values.uuids))
    let objectId = Column("objectId", \Wide.objectId, Values.objectIds)
    let objectIdOrNil = Column(
      "objectIdOrNil", \Wide.objectIdOrNil, Values.orNil(Values.objectIds))
    let any = Column("any", \Wide.any, Values.anys)
    return [
      one(flag, flag.makers), one(flagOrNil, flagOrNil.makers),
      one(
        string,
        string.ordered(with: [string]) + [string.range, string.search, string.search]
          + [{ string.searched(for: string, $0, &$1) }]),
      one(
        stringOrNil,
        stringOrNil.ordered() + [stringOrNil.rangeOrNil, stringOrNil.search]
          + [{ stringOrNil.searched(for: stringOrNil, $0, &$1) }]),
      one(data, data.ordered() + [data.searchBytes], sorts: false),
      one(dataOrNil, dataOrNil.ordered() + [dataOrNil.searchBytes], sorts: false),
      one(date, date.ordered(with: [date]) + [date.range, date.extreme]),
      one(dateOrNil, dateOrNil.ordered() + [dateOrNil.rangeOrNil, dateOrNil.extremeOrNil]),
      one(uuid, uuid.makers), one(uuidOrNil, uuidOrNil.makers),
      one(objectId, objectId.makers), one(objectIdOrNil, objectIdOrNil.makers),
      one(
        any, any.ordered(with: [any]) + [any.searchAny], isAny: true, besides: Values.nested),
    ]
  }

  private static var mapped: [DrawnProperty] {
    let mood = Column("mood", \Wide.mood, Values.moods)
    let moodOrNil = Column("moodOrNil", \Wide.moodOrNil, Values.orNil(Values.moods))
    let tag = Column("tag", \Wide.tag, Values.tags)
    let tagOrNil = Column("tagOrNil", \Wide.tagOrNil, Values.orNil(Values.tags))
    let spot = Column("spot", \Wide.spot, Values.spots)
    let spotOrNil = Column("spotOrNil", \Wide.spotOrNil, Values.orNil(Values.spots).reversed())
    return [
      one(mood, mood.ordered() + [mood.range]), one(moodOrNil, moodOrNil.ordered()),
      one(tag, tag.ordered(with: [tag]) + [tag.search]),
      one(tagOrNil, tagOrNil.ordered() + [tagOrNil.search]),
      one(spot, spot.makers, sorts: false), one(spotOrNil, spotOrNil.makers, sorts: false),
    ]
  }

  // MARK: Many values

  private static var listsOfNumbers: [DrawnProperty] {
    let ints = Elements("ints", \Wide.ints, Values.smallInts)
    let intsOrNil = Elements("intsOrNil", \Wide.intsOrNil, Values.orNil(Values.smallInts))
    let intSet = Elements("intSet", \Wide.intSet, Values.ints)
    let intMap = Elements("intMap", \Wide.intMap, Values.orNil(Values.smallInts))
    let floats = Elements("floats", \Wide.floats, Values.floats)
    let doubles = Elements("doubles", \Wide.doubles, Values.doubles)
    let doubleSet = Elements("doubleSet", \Wide.doubleSet, Values.orNil(Values.doubles))
    let decimals = Elements("decimals", \Wide.decimals, Values.decimals)
    let halves = Values.orNil([-1, 0, 0.5, 1, 1.5].map { (Plain.double($0), $0) })
    return [
      many(
        ints, .list,
        ints.ordered + [ints.range, ints.aggregate, ints.average({ $0.avg }, halves)]),
      many(
        intsOrNil, .list,
        intsOrNil.ordered + [intsOrNil.extremeOrNil, intsOrNil.average({ $0.avg }, halves)]),
      many(intSet, .set, intSet.ordered + [intSet.range, intSet.aggregate]),
      many(intMap, .map, intMap.ordered + [intMap.extremeOrNil]),
      many(floats, .list, floats.ordered + [floats.range]),
      many(doubles, .list, doubles.ordered + [doubles.range]),
      many(doubleSet, .set, doubleSet.ordered + [doubleSet.extremeOrNil]),
      many(decimals, .list, decimals.ordered + [decimals.range, decimals.aggregate]),
    ]
  }

  private static var listsOfOthers: [DrawnProperty] {
    let flags = Elements("flags", \Wide.flags, Values.bools)
    let strings = Elements("strings", \Wide.strings, Values.strings)
    let stringSet = Elements("stringSet", \Wide.stringSet, Values.orNil(Values.strings))
    let stringMap = Elements("stringMap", \Wide.stringMap, Values.strings)
    let datas = Elements("datas", \Wide.datas, Values.datas)
    let dates = Elements("dates", \Wide.dates, Values.orNil(Values.dates))
    let uuids = Elements("uuids", \Wide.uuids, Values.uuids)
    let objectIds = Elements("objectIds", \Wide.objectIds, Values.orNil(Values.objectIds))
    let anys = Elements("anys", \Wide.anys, Values.anys)
    let anyMap = Elements("anyMap", \Wide.anyMap, Values.anys)
    let moods = Elements("moods", \Wide.moods, Values.moods)
    let tags = Elements("tags", \Wide.tags, Values.tags)
    let spots = Elements("spots", \Wide.spots, Values.spots)
    return [
      many(flags, .list, flags.makers), many(strings, .list, strings.ordered + [strings.search]),
      many(stringSet, .set, stringSet.ordered + [stringSet.search]),
      many(stringMap, .map, stringMap.ordered + [stringMap.search]),
      many(datas, .list, datas.ordered), many(dates, .list, dates.ordered + [dates.extremeOrNil]),
      many(uuids, .set, uuids.makers), many(objectIds, .list, objectIds.makers),
      many(anys, .list, anys.ordered), many(anyMap, .map, anyMap.ordered + [anyMap.aggregate]),
      many(moods, .list, moods.ordered), many(tags, .set, tags.ordered + [tags.search]),
      many(spots, .list, spots.makers),
    ]
  }
}
